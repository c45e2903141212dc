import { VoxelError } from '../errors.js';

/** A strong validator (RFC 9110 §8.8.3). A weak one says too little, and other characters have no place in a request. */
const strongETag = /^"[!#-~]*"$/;

/** One version of a media file: all requests for its segments share this, so that bytes of two versions never mix. */
export class FileVersion {
  /** Tag of the first response, for `if-match`; undefined: none has come, or the server has no strong ones. */
  etag: string | undefined;

  /** Takes the `etag` of a response. Throws `VoxelError` code `file-changed` when it is another version's. */
  check(etag: string | undefined): void {
    if (etag === undefined || !strongETag.test(etag)) return;
    this.etag ??= etag;
    if (etag !== this.etag) throw this.changed(etag);
  }

  changed(etag = 'unknown'): VoxelError {
    return new VoxelError('file-changed', `the file has changed on the server: its ETag was ${this.etag}, is ${etag}`);
  }
}

/** Files that may be known: a ladder has few, but each segment may be a file of its own. */
const FILES_KNOWN = 64;

/** The versions that requests are made for. */
export class FileVersions {
  readonly #versions = new Map<string, FileVersion>();

  /** `edition` as in `SegmentRequest`. The query of `target` selects no file: it may differ with every request (CMCD). */
  of(host: string, target: string, edition: number): FileVersion {
    const key = `${edition} ${host}${target.split('?', 1)[0]!}`;
    const version = this.#versions.get(key) ?? new FileVersion();
    this.#versions.delete(key);
    this.#versions.set(key, version);
    if (this.#versions.size > FILES_KNOWN) this.#versions.delete(this.#versions.keys().next().value!);
    return version;
  }
}
