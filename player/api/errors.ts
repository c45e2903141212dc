import type { AbrErrorCode } from '../../src/abr-star/index.js';
import type { ManifestErrorCode } from '../../src/manifest/errors.js';
import type { VoxelErrorCode } from '../../src/voxel-loader/errors.js';

/** What can go wrong in the glue itself; the parts below have their own catalogues. Every one of them ends in HTTP. */
export type PlayerErrorCode =
  /** The session is still being opened and the segment should not wait longer. */
  | 'session-opening'
  /** The media file is on another origin than the manifest, so the VOXEL server does not have it. */
  | 'other-origin'
  /** The index that describes a segment is not here yet and the segment should not wait longer. */
  | 'index-late'
  /** No answer to the request for an index, or a failure: it is asked for again later. */
  | 'index-failed'
  /** The server has no such index, or what it sends is none. */
  | 'index-refused'
  /** One plugin per player. */
  | 'already-attached'
  /** dash.js makes its loaders in `initialize()`, hls.js tells of a playlist once. */
  | 'attached-too-late'
  /** What is to be attached to is no player, or the other one. */
  | 'wrong-player'
  /** The plugin has no option of that name. */
  | 'unknown-option'
  /** Nothing of the presentation has VOXEL data. */
  | 'not-prepared'
  /** `<voxel-video>` was given no dash.js and the page has none. */
  | 'no-dashjs';

export class PlayerError extends Error {
  override readonly name = 'PlayerError';

  constructor(
    readonly code: PlayerErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Every code that an error or an event can have (docs/ERRORS.md); `internal` is none of the project's own. */
export type ErrorCode = PlayerErrorCode | VoxelErrorCode | ManifestErrorCode | AbrErrorCode | 'internal';

/** Code and one line of any error, for events. */
export function describeError(error: unknown): { readonly code: ErrorCode; readonly message: string } {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return {
    // Strings are the project's: those of the browser's errors are numbers.
    code: typeof code === 'string' ? (code as ErrorCode) : 'internal',
    message: typeof message === 'string' ? message : String(error),
  };
}
