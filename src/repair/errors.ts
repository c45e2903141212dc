/**
 * - `unsupported-stream`: the stream uses a feature that repair does not know.
 * - `malformed`: the bytes have arrived, but are not what they should be.
 * - `missing-reliable-bytes`: bytes that every repair needs have not arrived.
 */
export type RepairErrorCode = 'unsupported-stream' | 'malformed' | 'missing-reliable-bytes';

/** Why a stream or a segment cannot be repaired; the message is one line. */
export class RepairError extends Error {
  override readonly name = 'RepairError';

  constructor(
    readonly code: RepairErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function unsupported(feature: string): RepairError {
  return new RepairError('unsupported-stream', `repair does not support ${feature}`);
}

export function malformed(message: string): RepairError {
  return new RepairError('malformed', message);
}

export function missing(message: string, cause?: unknown): RepairError {
  return new RepairError('missing-reliable-bytes', message, { cause });
}
