import type { ChunkPlace } from '../../growing/growing-files.js';
import type { RangeRequest } from '../../network/range-stream.js';
import type { GrowingFile } from './growing-file.js';

/** Which media a playlist has, and how what comes of it is told. */
export interface Track extends Omit<ChunkPlace, 'index'> {
  /** URL of its initialization segment. */
  readonly key: string;
}

/** A segment as it is followed. */
export interface FollowedSegment {
  /** URL of its file, as the playlist has it. */
  readonly url: string;
  readonly track: Track;
  /** Seconds on the element's time line. */
  readonly start: number;
  readonly duration: number;
}

/** A segment that hls.js asks for parts of. */
export interface AskedSegment extends FollowedSegment {
  readonly index: number;
  /** The request for it, as the page has it. */
  readonly sent: Promise<RangeRequest>;
  /** Up to where hls.js has been given its file. */
  given: number;
}

/** What is followed of one kind of media, video or sound. */
export class Lane {
  /** The one that hls.js asks for, and the next, by URL. */
  readonly files = new Map<string, GrowingFile>();
  asked: AskedSegment | undefined;
  /** The file that is followed ahead of hls.js, and after which one. */
  #ahead: { readonly after: string; readonly url: string } | undefined;

  /** Follows a file, unless it is followed already. */
  follow(url: string, create: () => GrowingFile): GrowingFile {
    const file = this.files.get(url) ?? create();
    this.files.set(url, file);
    return file;
  }

  /** Follows a file ahead. */
  followAhead(after: string, url: string, create: () => GrowingFile): void {
    this.#ahead = { after, url };
    this.follow(url, create);
  }

  /** Whether a file is followed ahead after that one. */
  isAhead(after: string): boolean {
    return this.#ahead?.after === after && this.files.has(this.#ahead.url);
  }

  /** Gives up all files but that one and the one after it; undefined: all. */
  keep(url: string | undefined): void {
    for (const [other, file] of this.files) {
      if (other === url || (this.#ahead?.after === url && this.#ahead?.url === other)) continue;
      this.files.delete(other);
      file.drop();
    }
  }
}

/** The address of the segment after that one, numbered as `voxel-live` does; undefined: it is numbered otherwise. */
export function nextOf(url: string): string | undefined {
  const [, before, number, after] = /^([^?]*\/)(\d+)(\.m4s(?:\?.*)?)$/.exec(url) ?? [];
  return number === undefined ? undefined : `${before}${Number(number) + 1}${after}`;
}

/** The same address in the folder of another representation, as `voxel-live` has them; undefined: its folders have other names. */
export function inFolder(url: string, from: string, to: string): string | undefined {
  const at = url.lastIndexOf(`/${from}/`);
  return at < 0 ? undefined : `${url.slice(0, at)}/${to}${url.slice(at + from.length + 1)}`;
}
