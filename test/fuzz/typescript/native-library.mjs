// @ts-check
// The fuzzer's prebuilt library asks for glibc 2.38 (Ubuntu 24.04, Debian 13), of which it uses two functions, and for one of libstdc++ 13. Where
// they are older, those come from a small library of ours, and a copy of the prebuilt one is marked to do without the newer versions.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { run } from '../../../tools/setup/process.mjs';

/** What the prebuilt library needs that this file can do without. */
const NEW_VERSIONS = ['GLIBC_2.38', 'GLIBCXX_3.4.32'];
const SHT_GNU_VERNEED = 0x6ffffffe;
const VER_FLG_WEAK = 2;

const folder = join(root, 'node_modules', '.cache', 'fuzz');
const prebuilt = join(root, 'node_modules/@jazzer.js/fuzzer/prebuilds');

/**
 * What lets Node load the fuzzer's library on this machine.
 * @returns {Promise<{ args: string[], env: NodeJS.ProcessEnv }>}
 */
export async function prepareNativeLibrary() {
  if (process.platform !== 'linux' || !isGlibcTooOld()) return { args: [], env: process.env };
  mkdirSync(folder, { recursive: true });
  const library = readFileSync(join(prebuilt, `fuzzer-linux-${process.arch}.node`));
  weakenVersions(library, NEW_VERSIONS);
  const native = join(folder, 'fuzzer.node');
  writeFileSync(native, library);
  const missing = join(folder, 'old-glibc.so');
  const source = join(import.meta.dirname, 'old-glibc.c');
  await run('cc', ['-shared', '-fPIC', '-O1', '-o', missing, source, '-lstdc++'], { output: 'on-failure' });
  return {
    args: ['--import', join(import.meta.dirname, 'load-old-glibc.mjs')],
    env: { ...process.env, LD_PRELOAD: missing, VOXEL_PREBUILT: prebuilt, VOXEL_NATIVE: native },
  };
}

function isGlibcTooOld() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  const [major = 0, minor = 0] = header.glibcVersionRuntime?.split('.').map(Number) ?? [Infinity];
  return major < 2 || (major === 2 && minor < 38);
}

/**
 * Marks the needs for these versions in a 64-bit little-endian ELF file as weak (Linux Standard Base, symbol versions).
 * @param {Buffer} elf @param {readonly string[]} versions
 */
function weakenVersions(elf, versions) {
  const sections = Number(elf.readBigUInt64LE(0x28));
  const [size, count] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c)];
  const starts = Array.from({ length: count }, (_, index) => sections + index * size);
  /** @param {number} at */
  const offsetOf = (at) => Number(elf.readBigUInt64LE(at + 0x18));
  const needs = starts.find((at) => elf.readUInt32LE(at + 4) === SHT_GNU_VERNEED);
  if (needs === undefined) return;
  const names = offsetOf(starts[elf.readUInt32LE(needs + 0x28)] ?? 0);
  for (let file = offsetOf(needs), next = 1; next !== 0; file += next) {
    next = elf.readUInt32LE(file + 12);
    for (let need = file + elf.readUInt32LE(file + 8), step = 1; step !== 0; need += step) {
      step = elf.readUInt32LE(need + 12);
      const name = names + elf.readUInt32LE(need + 8);
      if (versions.includes(elf.toString('latin1', name, elf.indexOf(0, name))))
        elf.writeUInt16LE(VER_FLG_WEAK, need + 4);
    }
  }
}
