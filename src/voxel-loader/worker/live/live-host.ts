import type { Playhead } from '../../../delivery/chunk-queue.js';
import { VoxelError } from '../../errors.js';
import { epochNow, type LivePageMessage, type LiveWorkerMessage } from '../../live-messages.js';
import type { DeliveredChunk } from '../../live-types.js';
import { describeFrames } from '../frame-states.js';
import { encodeError, Host, type HostOptions } from '../host.js';
import { Repairers } from '../repairers.js';
import { openSession } from '../session.js';
import type { Session } from '../types.js';
import { FollowDownload } from './follow-download.js';
import type { ReceivedChunk } from './pending-chunk.js';

type Message<Type extends LivePageMessage['type']> = Extract<LivePageMessage, { type: Type }>;

export interface LiveHostOptions extends Omit<HostOptions, 'post'> {
  readonly post: (message: LiveWorkerMessage, transfer: Transferable[]) => void;
}

/** The worker's end of everything: what a `Host` does, and live segments, which are followed, put together and repaired chunk by chunk. */
export class LiveHost {
  readonly #post: LiveHostOptions['post'];
  readonly #host: Host;
  readonly #repairers = new Repairers();
  readonly #sessions = new Map<number, Session>();
  readonly #followed = new Map<number, FollowDownload>();
  #playhead: Playhead | undefined;
  /** Number of the session that is being opened. */
  #opening = 0;

  constructor(options: LiveHostOptions) {
    const { post, open = openSession } = options;
    this.#post = post;
    this.#host = new Host({
      ...options,
      open: async (...endpoint) => this.#keep(this.#opening, await open(...endpoint)),
    });
  }

  receive(message: LivePageMessage): void {
    switch (message.type) {
      case 'follow':
        void this.#follow(message);
        return;
      case 'unfollow':
        this.#followed.get(message.id)?.abort();
        return;
      case 'play':
        this.#playhead = message.playhead;
        for (const download of this.#followed.values()) download.look();
        return;
      case 'open':
        this.#opening = message.session;
        break;
      case 'initialize':
        this.#repairers.add(message.representation, message.bytes);
        break;
      default:
    }
    this.#host.receive(message);
  }

  #keep(id: number, session: Session): Session {
    this.#sessions.set(id, session);
    void session.closed.then(() => this.#sessions.delete(id));
    return session;
  }

  async #follow({ id, session: number, request }: Message<'follow'>): Promise<void> {
    try {
      const session = this.#sessions.get(number);
      if (!session) throw new VoxelError('session-closed', 'the session is closed');
      const download = new FollowDownload({
        session,
        request,
        playhead: () => this.#playhead,
        onChunk: (received) => {
          const chunk = this.#repair(request.representation, received);
          this.#post({ type: 'chunk', id, chunk }, [chunk.bytes.buffer]);
        },
        now: epochNow,
      });
      this.#followed.set(id, download);
      await download.result;
      this.#post({ type: 'followed', id, error: undefined }, []);
    } catch (error) {
      this.#post({ type: 'followed', id, error: encodeError(error) }, []);
    } finally {
      this.#followed.delete(id);
    }
  }

  #repair(representation: string, { chunk, bytes, received, lost, facts }: ReceivedChunk): DeliveredChunk {
    const repaired = this.#repairers.repair(representation, { bytes, received });
    return {
      ...facts,
      bytes: repaired.bytes as Uint8Array<ArrayBuffer>,
      frames: describeFrames(chunk, { received, lost }, repaired.frames),
    };
  }
}
