import type { Playhead } from '../delivery/piece-queue.js';
import type { ByteRange } from '../manifest/byte-range.js';
import { VoxelError } from './errors.js';
import type { PageMessage } from './messages.js';
import type {
  DeliveredChunk,
  FollowRequest,
  Following,
  KeptSegment,
  SegmentDownload,
  SegmentRequest,
  VoxelSession,
} from './types.js';
import { RemoteDownload } from './remote-download.js';
import { layoutOf } from './segment-layout.js';

/** What a session needs of the page's end of its worker. */
export interface SessionLink {
  readonly thread: VoxelSession['thread'];
  post(message: PageMessage): void;
  /** Numbers a download, whose answers then go to it. */
  register(download: RemoteDownload): number;
}

/** A session in the worker. */
export class RemoteSession implements VoxelSession {
  readonly id: number;
  readonly thread: VoxelSession['thread'];
  /** Rejects with the reason when it could not be opened. */
  readonly opened: Promise<VoxelSession>;
  readonly closed: Promise<VoxelError>;
  /** Called when the worker says so. */
  onOpened!: () => void;
  readonly #link: SessionLink;
  /** Those under way, and their numbers. */
  readonly #downloads = new Map<RemoteDownload, number>();
  #onFailed!: (error: VoxelError) => void;
  #onClosed!: (reason: VoxelError) => void;

  constructor(id: number, link: SessionLink) {
    this.id = id;
    this.thread = link.thread;
    this.#link = link;
    this.opened = new Promise((resolve, reject) => {
      this.onOpened = () => resolve(this);
      this.#onFailed = reject;
    });
    this.closed = new Promise((resolve) => (this.#onClosed = resolve));
  }

  download({ map, after, ...request }: SegmentRequest): SegmentDownload {
    const first = [...this.#downloads].find(([download]) => download === after)?.[1];
    return this.#start((id) =>
      this.#link.post({
        type: 'download',
        id,
        session: this.id,
        after: first,
        request: { ...request, map: layoutOf(map) },
      }),
    );
  }

  fetchInto(segment: KeptSegment, ranges: readonly ByteRange[]): SegmentDownload {
    return this.#start((id) =>
      this.#link.post({ type: 'fetch-into', id, session: this.id, segment: segment.id, ranges }),
    );
  }

  follow(request: FollowRequest, onPiece: (piece: DeliveredChunk) => void): Following {
    return this.#start((id) => this.#link.post({ type: 'follow', id, session: this.id, request }), onPiece);
  }

  play(playhead: Playhead | undefined): void {
    const at = (playhead?.at ?? 0) + performance.timeOrigin;
    this.#link.post({ type: 'play', playhead: playhead && { ...playhead, at } });
  }

  close(): void {
    this.#link.post({ type: 'close', session: this.id });
    this.end(new VoxelError('session-closed', 'the session was closed'));
  }

  /** It is gone, or could not be opened. */
  end(reason: VoxelError): void {
    this.#onFailed(reason);
    this.#onClosed(reason);
    for (const download of this.#downloads.keys()) download.giveUp(reason);
  }

  #start(post: (id: number) => void, onPiece?: (piece: DeliveredChunk) => void): SegmentDownload {
    const download = new RemoteDownload((type) => this.#link.post({ type, id }), onPiece);
    const id = this.#link.register(download);
    this.#downloads.set(download, id);
    const forget = (): void => void this.#downloads.delete(download);
    download.result.then(forget, forget);
    post(id);
    return download;
  }
}
