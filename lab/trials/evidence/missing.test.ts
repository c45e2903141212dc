import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import type { TrialResult } from '../result.js';
import type { Claim } from './claim.js';
import { provisional, type Provisional } from './claims.js';
import { matrixOf } from './kept.js';
import { missing, missingText } from './missing.js';

/** Sessions of a minute in which nobody waits but for five seconds at the start. */
function matrixWith(fields: object, count: number) {
  const plain = { title: 'T', systems: ['bola', 'voxel'], traces: ['constant:5'], buffers: [1], shifts: 2, ...fields };
  const config = parseConfig(JSON.stringify(plain), 'x.json');
  const attempts = Array.from({ length: count }, (_, index) => {
    const session = { id: `s${index}`, valid: true, date: '', video: 'v', trace: 't', path: 'p', system: 'bola' };
    return { ...session, startup: 5, stallSeconds: 0, bytesDelivered: 60, bitrate: 8, ...MEASURES };
  });
  return matrixOf({ name: 'x', folder: 'f', config, attempts: attempts as unknown as TrialResult[] });
}

const MEASURES = { score: 1, stalls: 0, mos: {}, bytesSkipped: 0, bytesLost: 0 };

const CLAIM: Claim = { figure: '1', claim: 'c', theirs: '–', command: 'x', matrix: 'x' };

it('is what repetitions give every claim of a matrix ten sessions, and how long they take', () => {
  // Four sessions, two of each system: five times as many. 16 of 25 + 60 + 5 s, three at a time.
  const matrix = matrixWith({}, 4);
  const claims = [2, 6].map((sessions): Provisional => ({
    claim: { ...CLAIM, figure: String(sessions) },
    matrix,
    sessions,
  }));
  const [found, ...others] = missing(claims);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ figures: ['2', '6'], fewest: 2, repetitions: 5, sessions: 16, minutes: 8 });
  expect(missingText([found!])).toBe(`x: 2; 6 (n = 2)
  in lab/trials/configs/x.json set "repetitions": 5, then
  npm run trials -- lab/trials/configs/x.json --jobs 3 --resume --sessions docs/results/x/sessions.jsonl
  16 sessions, about 8 min`);
});

it('is the rest of a matrix that has enough repetitions, with a word where that takes long', () => {
  const matrix = matrixWith({ shifts: 10, repetitions: 100 }, 4);
  const [found] = missing([{ claim: CLAIM, matrix, sessions: 1 }]);
  expect(found).toMatchObject({ repetitions: undefined, sessions: 1996 });
  expect(missingText([found!])).toMatch(
    /^x: 1 \(n = 1\)\n {2}npm run .*\n {2}1996 sessions, about 16\.6 h: more than two hours$/,
  );
});

it('is nothing of claims with ten sessions, and of those that rest on none', () => {
  const measured = (sessions?: number) => ({
    ...CLAIM,
    measured: () => ({ ours: '1', verdict: 'reproduced' as const, ...(sessions && { sessions }) }),
  });
  const matrices = new Map([['x', matrixWith({}, 4)]]);
  const claims = [measured(10), measured(), measured(9), CLAIM];
  expect(provisional(matrices, claims).map(({ sessions }) => sessions)).toEqual([9]);
  expect(missingText([])).toBe('No claim says “so far”.');
});
