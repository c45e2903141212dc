import { downloadSegment } from './segment-download.js';
import { openSession } from './session.js';
import type { VoxelError } from './errors.js';
import type { VoxelTransport } from './transport.js';
import type { Endpoint, SegmentDownload, SegmentRequest, VoxelSession } from './types.js';

/** Opens a session on the page's own thread. Rejects with `VoxelError` code `unsupported` or `session-failed`. */
export async function openPageSession(endpoint: Endpoint): Promise<VoxelSession> {
  return new PageSession(await openSession(endpoint));
}

/** A session on the page's own thread. */
export class PageSession implements VoxelSession {
  readonly thread = 'page';
  readonly closed: Promise<VoxelError>;
  readonly #transport: VoxelTransport;

  constructor(transport: VoxelTransport) {
    this.#transport = transport;
    this.closed = transport.closed;
  }

  download(request: SegmentRequest): SegmentDownload {
    return downloadSegment(this.#transport, request);
  }

  close(): void {
    this.#transport.close();
  }
}
