import { expect, test } from 'vitest';
import type { Kept } from './kept.js';
import { BUFFERS, OURS, RIVALS, rivalsBars, rivalsTables } from './report-traces.js';

/** Twelve traces: ours lead by 0.1 in everything, less where `advantage` says so. */
function lines(advantage: (rule: string, trace: number) => number): Kept[] {
  return [...OURS, ...RIVALS].flatMap((abr) =>
    BUFFERS.flatMap((buffer) =>
      Array.from({ length: 12 }, (_, trace) => {
        const more = advantage(abr, trace);
        const good = { score: 0.9 + more, qoe: 0.8 + more, felt: 0.7 + more, soda: more };
        const bad = { bufRatio: 0.5 - more, switches: 30 - more, startup: 1 - more, waited: 2 - more };
        return { trace: `trace ${trace}`, abr, buffer, sessions: 6, ...good, ...bad };
      }),
    ),
  );
}

const isOurs = (rule: string) => (OURS as readonly string[]).includes(rule);

const missed = (all: readonly Kept[]) =>
  rivalsBars(all)
    .filter(({ holds }) => !holds)
    .map(({ name }) => name);

test('a rule that leads on every trace misses nothing', () => {
  expect(missed(lines((rule) => (isOurs(rule) ? 0.1 : 0)))).toEqual([]);
});

test('a lead that another draw of traces would turn is missed', () => {
  const wavering = lines((rule, trace) => (rule === 'fugu' ? (trace % 2) * 0.21 : isOurs(rule) ? 0.11 : 0));
  expect(missed(wavering).filter((name) => name.startsWith('abr-star before'))).toEqual(
    BUFFERS.flatMap((buffer) =>
      ['felt', 'soda', 'bufRatio', 'qoe'].map((figure) => `abr-star before fugu, ${buffer} segment(s), ${figure}`),
    ),
  );
});

test('more switches than SODA are missed', () => {
  const slow = lines((rule) => (isOurs(rule) ? 0.1 : 0)).map((line) =>
    line.abr === 'abr-star' ? { ...line, switches: 33.1 } : line,
  );
  expect(missed(slow)).toHaveLength(2);
});

test('tables say how much was played', () => {
  expect(rivalsTables(lines(() => 0))).toContain('864 sessions on 12 traces.');
});
