import { ManifestError } from '../../../../src/manifest/errors.js';
import { readEntry } from '../../../../src/manifest/index-entry.js';
import { checkMap } from '../support/check-map.js';
import { allow } from '../support/errors.js';
import { target } from '../support/target.js';

/** A segment's entry of an index of either version: what it says is a segment, whose size the entry's allows. */
export const fuzz = target((bytes) => {
  for (const version of [1, 2]) {
    const map = allow([ManifestError], () => readEntry(bytes, 1e5, version));
    if (map) checkMap(map, 128 * bytes.length + 1);
  }
});
