/**
 * Every way in which a delivery can fail. The player treats all of them alike (the request goes down dash.js' own HTTP
 * path); the code is for the event, the log and the decision whether to open a new session.
 */
export type VoxelErrorCode =
  /** This browser has no WebTransport, or one that does not last, or the page allows no worker. */
  | 'unsupported'
  /** No usable `/.well-known/voxel.json` or `options.endpoint`. */
  | 'discovery-failed'
  /** The session could not be opened: UDP blocked, certificate refused, no such server. */
  | 'session-failed'
  /** The session was open and is gone. */
  | 'session-closed'
  /** The request cannot be sent: a line break in a header value, a target that is not a path. */
  | 'bad-request'
  /** The server broke the protocol. */
  | 'bad-response'
  /** The server answered with something other than 206: see `status`. */
  | 'status'
  /** The server wants to know who asks, or does not let them read: 401 or 403 in `status`. */
  | 'unauthorized'
  /** The media file is another one than earlier responses were of. */
  | 'file-changed'
  /** A stream ended or was reset before the bytes that it promised. */
  | 'incomplete'
  /** Nothing arrived for too long. */
  | 'timeout'
  /** The caller gave up. */
  | 'aborted'
  /** Incomplete, and the initialization segment that the repair needs is not known. */
  | 'no-initialization'
  /** Incomplete, and the repair does not support a feature of the stream (src/repair). */
  | 'unsupported-stream'
  /** Incomplete, and what is here is not what it should be (src/repair). */
  | 'malformed'
  /** Bytes have not arrived without which there is no repair (src/repair). */
  | 'missing-reliable-bytes';

/** Those after which no later request can succeed on the session. */
const FATAL: readonly VoxelErrorCode[] = ['unsupported', 'discovery-failed', 'session-failed', 'session-closed'];

/** The only error class of this folder. The message is one line for people. */
export class VoxelError extends Error {
  override readonly name = 'VoxelError';
  /** HTTP status, with the codes `status` and `unauthorized` and, where the answer was one, `discovery-failed`. */
  readonly status: number | undefined;

  constructor(
    readonly code: VoxelErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly status?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
  }

  /** True when no later session can do better: the browser or the page allows none, or the origin says that it has no VOXEL server. */
  get permanent(): boolean {
    return this.code === 'unsupported' || (this.code === 'discovery-failed' && this.status === 404);
  }

  /** A server's answer that is none of those that were asked for. */
  static ofStatus(status: number): VoxelError {
    const isRefused = status === 401 || status === 403;
    const why = isRefused ? ': a session carries no cookies' : '';
    return new VoxelError(isRefused ? 'unauthorized' : 'status', `the server answered ${status}${why}`, { status });
  }

  /** True when no later request can succeed on this session, false when only this request failed. */
  get fatal(): boolean {
    return FATAL.includes(this.code);
  }
}
