// @ts-check
// Imported before anything else where glibc is old (native-library.mjs): the marked copy in place of the prebuilt library.
const { VOXEL_PREBUILT: prebuilt = '', VOXEL_NATIVE: native = '' } = process.env;
const dlopen = process.dlopen.bind(process);

process.dlopen = (module, file, ...flags) => dlopen(module, file.startsWith(prebuilt) ? native : file, ...flags);
