import type { Playhead } from '../delivery/piece-queue.js';
import type { ByteRange } from '../manifest/byte-range.js';
import { deferred } from './deferred.js';
import { VoxelError } from './errors.js';
import { layoutOf, type PageMessage } from './messages.js';
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

/** What a session needs of the page's end of its worker. */
export interface SessionLink {
  readonly thread: VoxelSession['thread'];
  post(message: PageMessage): void;
  /** A number that no other download has. */
  nextId(): number;
  /** Answers to that number go to the download. */
  register(download: RemoteDownload): void;
}

/** A session in the worker. */
export class RemoteSession implements VoxelSession {
  readonly thread: VoxelSession['thread'];
  readonly #opening = deferred<VoxelSession>();
  readonly #closing = deferred<VoxelError>();
  /** Rejects with the reason when it could not be opened. */
  readonly opened = this.#opening.promise;
  readonly closed = this.#closing.promise;
  /** Those under way. */
  readonly #downloads = new Set<RemoteDownload>();

  constructor(
    readonly id: number,
    private readonly link: SessionLink,
  ) {
    this.thread = link.thread;
  }

  /** The worker says so. */
  onOpened(): void {
    this.#opening.resolve(this);
  }

  download({ map, after, ...request }: SegmentRequest): SegmentDownload {
    const first = this.#downloads.has(after as RemoteDownload) ? (after as RemoteDownload).id : undefined;
    const asked = { ...request, map: layoutOf(map) };
    return this.#start((id) => ({ type: 'download', id, session: this.id, after: first, request: asked }));
  }

  fetchInto(segment: KeptSegment, ranges: readonly ByteRange[]): SegmentDownload {
    return this.#start((id) => ({ type: 'fetch-into', id, session: this.id, segment: segment.id, ranges }));
  }

  follow(request: FollowRequest, onPiece: (piece: DeliveredChunk) => void): Following {
    return this.#start((id) => ({ type: 'follow', id, session: this.id, request }), onPiece);
  }

  play(playhead: Playhead | undefined): void {
    const at = (playhead?.at ?? 0) + performance.timeOrigin;
    this.link.post({ type: 'play', playhead: playhead && { ...playhead, at } });
  }

  close(): void {
    this.link.post({ type: 'close', session: this.id });
    this.end(new VoxelError('session-closed', 'the session was closed'));
  }

  /** It is gone, or could not be opened. */
  end(reason: VoxelError): void {
    this.#opening.reject(reason);
    this.#closing.resolve(reason);
    for (const download of this.#downloads) download.giveUp(reason);
  }

  #start(message: (id: number) => PageMessage, onPiece?: (piece: DeliveredChunk) => void): SegmentDownload {
    const id = this.link.nextId();
    const download = new RemoteDownload(id, (type) => this.link.post({ type, id }), onPiece);
    this.link.register(download);
    this.#downloads.add(download);
    const forget = (): void => void this.#downloads.delete(download);
    download.result.then(forget, forget);
    this.link.post(message(id));
    return download;
  }
}
