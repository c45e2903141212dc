/** Says that segments have records beside them, in files of the same name and this suffix. */
export const LIVE_SCHEME = 'urn:voxel-dash:live:1';
export const RECORDS_SUFFIX = '.vxl';
