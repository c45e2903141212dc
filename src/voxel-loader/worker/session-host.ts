import { downloadSegment } from '../segment-download.js';
import { openSession } from '../session.js';
import type { VoxelTransport } from '../transport.js';
import type { SegmentDownload, SegmentRequest } from '../types.js';
import { encodeDelivered, encodeError, type PageMessage, type WorkerMessage } from './messages.js';

/** Milliseconds between two reports on a download. */
const PROGRESS_INTERVAL = 50;

/** The worker's end of a session: what the page asks for is done here, byte by byte. */
export class SessionHost {
  readonly #post: (message: WorkerMessage, transfer: Transferable[]) => void;
  /** Ends the worker. */
  readonly #exit: () => void;
  readonly #open: typeof openSession;
  readonly #downloads = new Map<number, SegmentDownload>();
  #session: VoxelTransport | undefined;

  constructor(
    post: (message: WorkerMessage, transfer: Transferable[]) => void,
    exit: () => void,
    open: typeof openSession = openSession,
  ) {
    this.#post = post;
    this.#exit = exit;
    this.#open = open;
    this.#post({ type: 'started' }, []);
  }

  receive(message: PageMessage): void {
    switch (message.type) {
      case 'open':
        void this.#connect(message);
        return;
      case 'download':
        void this.#download(message.id, message.request);
        return;
      case 'keep':
        this.#downloads.get(message.id)?.keep();
        return;
      case 'abort':
        this.#downloads.get(message.id)?.abort();
        return;
      case 'close':
        this.#session?.close();
        this.#exit();
    }
  }

  async #connect({ endpoint }: Extract<PageMessage, { type: 'open' }>): Promise<void> {
    try {
      this.#session = await this.#open(endpoint);
      this.#post({ type: 'opened' }, []);
      const reason = await this.#session.closed;
      this.#post({ type: 'closed', error: encodeError(reason) }, []);
    } catch (error) {
      this.#post({ type: 'failed', error: encodeError(error) }, []);
    }
  }

  async #download(id: number, request: SegmentRequest): Promise<void> {
    let reports: ReturnType<typeof setInterval> | undefined;
    try {
      const download = downloadSegment(this.#session!, request);
      this.#downloads.set(id, download);
      reports = setInterval(() => {
        this.#post({ type: 'progress', id, progress: download.progress() }, []);
      }, PROGRESS_INTERVAL);
      const delivered = encodeDelivered(await download.result);
      this.#post({ type: 'delivered', id, delivered }, [delivered.bytes.buffer]);
    } catch (error) {
      this.#post({ type: 'rejected', id, error: encodeError(error) }, []);
    } finally {
      clearInterval(reports);
      this.#downloads.delete(id);
    }
  }
}
