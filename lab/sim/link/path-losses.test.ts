import { describe, expect, it } from 'vitest';
import { seededRandom } from '../random.js';
import { PathLosses, type LossModel } from './path-losses.js';

const PACKET = 1000;
const PACKETS = 1_000_000;

/** Draws miss a bound of so many standard deviations by chance once in 147 000 times. */
const DEVIATIONS = 4.5;

/** What is lost of a million packets that enter in rounds of any size, and the lengths of its runs. */
function lose(model: LossModel, seed = 1, roundBytes = 12_345) {
  const losses = new PathLosses(model, PACKET, seededRandom(seed));
  let bytes = 0;
  const packets: number[] = [];
  for (let at = 0; at < PACKETS * PACKET; at += roundBytes) {
    const round = losses.next(roundBytes);
    bytes += round.bytes;
    packets.push(...round.starts.map((start) => Math.round((at + start) / PACKET)));
  }
  const runs: number[] = [];
  packets.forEach((packet, index) => {
    if (index > 0 && packet === packets[index - 1]! + 1) runs[runs.length - 1]!++;
    else runs.push(1);
  });
  return { share: bytes / PACKET / PACKETS, packets, meanRun: packets.length / runs.length, runs: runs.length };
}

describe('PathLosses', () => {
  it.each([
    [0.01, 4],
    [0.1, 4],
    [0.03, 20],
  ])('loses %d of the packets in bursts of %d', (loss, meanBurst) => {
    const { share, meanRun, runs } = lose({ loss, meanBurst });
    const ends = 1 / meanBurst;
    // A chain with two states, whose second eigenvalue is its memory.
    const memory = 1 - ends - (ends * loss) / (1 - loss);
    const deviation = Math.sqrt((loss * (1 - loss) * (1 + memory)) / (1 - memory) / PACKETS);
    expect(Math.abs(share - loss)).toBeLessThan(DEVIATIONS * deviation);
    expect(Math.abs(meanRun - meanBurst)).toBeLessThan(DEVIATIONS * Math.sqrt((1 - ends) / ends ** 2 / runs));
  });

  it('loses independently without a burst length', () => {
    const loss = 0.05;
    const { share, meanRun, runs } = lose({ loss });
    expect(Math.abs(share - loss)).toBeLessThan(DEVIATIONS * Math.sqrt((loss * (1 - loss)) / PACKETS));
    expect(Math.abs(meanRun - 1 / (1 - loss))).toBeLessThan(DEVIATIONS * Math.sqrt(loss / (1 - loss) ** 2 / runs));
  });

  it('loses the same packets however they are divided into rounds, and others with another seed', () => {
    const model = { loss: 0.05, meanBurst: 4 };
    const { packets } = lose(model);
    expect(lose(model, 1, 777).packets.slice(0, 1000)).toEqual(packets.slice(0, 1000));
    expect(lose(model, 2).packets.slice(0, 1000)).not.toEqual(packets.slice(0, 1000));
  });

  it('loses nothing where nothing is to be lost', () => {
    expect(lose({ loss: 0 }).packets).toEqual([]);
    expect(lose({ loss: 0, meanBurst: 4 }).packets).toEqual([]);
  });
});
