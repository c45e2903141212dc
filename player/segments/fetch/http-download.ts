import { NO_COUNTS } from '../../../src/delivery/index.js';
import { totalBytes } from '../../../src/manifest/byte-range.js';
import { IntervalSet } from '../../../src/manifest/interval-set.js';
import type { Receiver } from '../../../src/voxel-loader/index.js';
import type { DeliveryRecorder } from '../record/delivery-recorder.js';
import type { RequestedSegment } from './requested-segment.js';

/**
 * Milliseconds in which a player appends a segment. To look through its frames takes some, and waits for as long: the
 * viewer is waiting for the first.
 */
const APPEND_TIME = 100;

/** Has the player's own loader bring whole segments, and records those that it brings. */
export class HttpDownloads {
  readonly #receiver: Pick<Receiver, 'inspect'>;
  readonly #recorder: DeliveryRecorder;

  constructor(receiver: Pick<Receiver, 'inspect'>, recorder: DeliveryRecorder) {
    this.#receiver = receiver;
    this.#recorder = recorder;
  }

  start(segment: RequestedSegment): unknown {
    const { answer, map } = segment;
    const { earlyAt } = answer;
    const startedAt = earlyAt ?? performance.now();
    return answer.loadOwn((data) => {
      const seconds = (performance.now() - startedAt) / 1000;
      const isWhole = data instanceof ArrayBuffer && data.byteLength === map.range.end - map.range.start;
      if (isWhole) this.#record(segment, new Uint8Array(data), { seconds, early: earlyAt !== undefined });
    });
  }

  #record(
    segment: RequestedSegment,
    bytes: Uint8Array<ArrayBuffer>,
    { seconds, early }: { readonly seconds: number; readonly early: boolean },
  ): void {
    const { map, key } = segment;
    const asked = { level: map.steps.length - 1, delivery: 'http', early } as const;
    const facts = {
      ...NO_COUNTS,
      bytesReliable: map.reliableBytes,
      bytesUnreliable: totalBytes(map.unreliable),
      bytesUnsent: 0,
      bytesMeasured: bytes.length,
      seconds,
    };
    const order = this.#recorder.arrived(segment, asked, facts);
    const received = new IntervalSet([{ start: 0, end: bytes.length }]);
    const inspect = async (): Promise<void> => {
      const frames = await this.#receiver.inspect(key, map, bytes);
      const recorded = { ...facts, bytes, received, frames, kept: undefined };
      this.#recorder.delivered(segment, asked, recorded, order);
    };
    setTimeout(() => void inspect(), APPEND_TIME);
  }
}
