import type { ChunkState } from '../../../repair/index.js';
import { describeFrames } from '../frame-states.js';
import type { Host, Message } from '../host.js';
import { repairPlan } from '../repair-plan.js';
import { FollowDownload } from './follow-download.js';
import { withNeeds } from './removable-chunk.js';

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
      const { repairers } = this.host;
      const { representation } = request;
      // What is left of the chunk before; nothing is of another segment.
      let before: ChunkState = {};
      const download: FollowDownload = new FollowDownload({
        // Its datagrams and its requests belong to one path.
        session: session.pick?.() ?? session,
        request,
        playhead: () => this.host.playhead,
        layout: (chunk) => (repairers.needsPlan(representation) ? withNeeds(chunk) : chunk),
        onChunk: ({ chunk, lost, facts, ...delivered }) => {
          const repaired = repairers.repair(representation, delivered, repairPlan(chunk), before);
          before = repaired.after ?? {};
          const bytes = repaired.bytes as Uint8Array<ArrayBuffer>;
          const frames = describeFrames(chunk, { received: delivered.received, lost }, repaired.frames);
          this.host.post({ type: 'piece', id, piece: { ...facts, bytes, frames } }, [bytes.buffer]);
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
}
