import type { VoxelError } from './errors.js';

/** Called for every datagram of a flow, in order of arrival. Must not throw. `payload` may be kept. */
export type DatagramListener = (offset: number, payload: Uint8Array) => void;

/** A number space for the datagrams of one request. */
export interface Flow {
  /** Never used again in this session. */
  readonly id: number;
  /** From here on its datagrams are dropped. */
  close(): void;
}

/**
 * What a download needs from a session, on the thread where that runs.
 */
export interface VoxelTransport {
  /** Authority of the server, for the `host` field. */
  readonly host: string;
  /** Resolves, never rejects, with the reason once the session is gone. */
  readonly closed: Promise<VoxelError>;
  /**
   * Sends `head` and FIN on a new stream and gives the bytes of the answer. Aborting `signal` resets the stream and ends
   * the iteration. Throws `VoxelError` with code `session-closed` or `incomplete` (reset by the server).
   */
  request(head: Uint8Array<ArrayBuffer>, signal: AbortSignal): AsyncIterable<Uint8Array>;
  openFlow(onDatagram: DatagramListener): Flow;
  /** Ends the session; everything in flight fails with `session-closed`. */
  close(): void;
}
