import type { DeliveredChunk } from '../../types.js';
import { describeFrames } from '../frame-states.js';
import type { Host, Message } from '../host.js';
import { FollowDownload } from './follow-download.js';
import type { ReceivedChunk } from './pending-chunk.js';

/** What a host follows: live segments, each of which is put together, repaired and handed over chunk by chunk. */
export class Followings {
  readonly #running = new Set<FollowDownload>();

  constructor(private readonly host: Host) {}

  receive(message: Message<'follow'>): void {
    void this.#follow(message);
  }

  /** Playback has moved otherwise than expected. */
  look(): void {
    for (const download of this.#running) download.look();
  }

  #follow({ id, session: number, request }: Message<'follow'>): Promise<void> {
    const start = (): FollowDownload => {
      const session = this.host.session(number);
      const download: FollowDownload = new FollowDownload({
        // Its datagrams and its requests belong to one path.
        session: session.pick?.() ?? session,
        request,
        playhead: () => this.host.playhead,
        onChunk: (received) => {
          const piece = this.#repair(request.representation, received);
          this.host.post({ type: 'piece', id, piece }, [piece.bytes.buffer]);
        },
        now: () => performance.timeOrigin + performance.now(),
      });
      this.#running.add(download);
      const forget = (): void => void this.#running.delete(download);
      download.result.then(forget, forget);
      return download;
    };
    return this.host.run(id, start, () => undefined);
  }

  #repair(representation: string, { chunk, bytes, received, lost, facts }: ReceivedChunk): DeliveredChunk {
    const repaired = this.host.repairers.repair(representation, { bytes, received });
    return {
      ...facts,
      bytes: repaired.bytes as Uint8Array<ArrayBuffer>,
      frames: describeFrames(chunk, { received, lost }, repaired.frames),
    };
  }
}
