import { expect, test } from 'vitest';
import type { AbrName } from '../rivals/registry.js';
import { thesisLadder } from '../../src/abr-star/testing/ladder.js';
import { ladderContent, playRule } from './testing.js';

/**
 * What Sabre chose (github.com/UMass-LIDS/sabre at 09b03bb, `sabre.py -v -a bolae|throughput -b <capacity>`): the thesis'
 * ladder in segments of 4 s at constant bitrate, a link of constant rate and 50 ms latency; the first 15 segments.
 */
const sabre: [name: AbrName, capacity: number, mbps: number, expected: string][] = [
  ['bola-e', 8, 1, '0 4 4 4 3 3 3 2 2 2 2 2 2 2 2'],
  ['bola-e', 16, 1, '0 4 4 4 5 5 4 4 4 5 5 5 5 4 5'],
  ['bola-e', 16, 8, '0 11 11 10 10 11 11 11 10 10 11 11 11 11 11'],
  ['bola-e', 32, 8, '0 11 11 10 10 11 11 11 10 10 11 11 11 11 11'],
  ['tput', 8, 1, '0 4 4 3 3 3 2 2 2 2 2 2 2 2 2'],
  ['tput', 16, 8, '0 10 10 10 10 10 10 10 10 10 10 10 10 10 10'],
];

test.each(sabre)('%s chooses as Sabre does, with a buffer of %d s over %d Mbit/s', (name, capacity, mbps, expected) => {
  const content = ladderContent(thesisLadder, 15);
  const bufferSegments = capacity / content.segmentDuration - 1;
  const { segments } = playRule({ name, bufferSegments, content, rates: [mbps * 1e6], step: 1 });
  expect(segments.map(({ representation }) => representation).join(' ')).toBe(expected);
});
