import { expect, it } from 'vitest';
import { thesisLadder } from '../../src/abr-star/testing/ladder.js';
import { FlatTransport } from './link/flat-transport.js';
import { Link } from './link/link.js';
import { makeTrace } from './link/trace.js';
import { seededRandom } from './random.js';
import { ruleOf } from './rule.js';
import { playSession } from './session.js';
import { ladderContent } from './testing.js';

it('shows a rule whole segments alone', () => {
  const rates = [4e6, 1e6, 0.3e6, 6e6];
  const play = (name: string) =>
    playSession({
      ...{ content: ladderContent(thesisLadder, 40), bufferSegments: 2, random: seededRandom(1), rule: ruleOf(name) },
      transport: new FlatTransport(new Link(makeTrace('link', 10, rates)), 0.05),
    }).segments;
  expect(play('abr-star@whole').every(({ missing, kept }) => missing === 0 && !kept)).toBe(true);
  expect(play('abr-star@streams').some(({ missing }) => missing > 0)).toBe(true);
});

it('hands over pieces of abr-star, and of others where they are told to', () => {
  const inPieces = ['abr-star', 'abr-star:firstRate=2e6@streams', 'soda/pieces', 'soda+clipstream/pieces'];
  const whole = ['abr-star/whole', 'abr-star@whole', 'abr-star-2021', 'soda', 'bola-e@datagrams'];
  expect(inPieces.map((name) => ruleOf(name).inPieces)).toEqual(inPieces.map(() => true));
  expect(whole.map((name) => ruleOf(name).inPieces)).toEqual(whole.map(() => false));
  expect(() => ruleOf('soda/halves')).toThrow('the part after / must be one of pieces, whole');
});

it('refuses a part after @ that it does not know', () => {
  expect(() => ruleOf('abr-star@half')).toThrow('must be one of streams, datagrams, whole');
});

it('plays abr-star with other constants than its own, and refuses what is none', () => {
  expect(ruleOf('abr-star:startUp=3:firstRate=2e6@whole').abr.name).toBe('abr-star');
  expect(ruleOf('abr-star:firstRate=2e6').abr.firstRate).toBe(2e6);
  const refused = ['abr-star:pace=1', 'abr-star:startUp', 'abr-star:startUp=..', 'mpc:startUp=1'];
  for (const name of refused) expect(() => ruleOf(name)).toThrow('only abr-star:CONSTANT=NUMBER, of bandwidthSafety, ');
});

it("leaves it to dash.js' own rule what it begins with", () => {
  const names = ['dynamic', 'dynamic/pieces', 'abr-star', 'bola-e'];
  expect(names.map((name) => ruleOf(name).isPlayers)).toEqual([true, true, false, false]);
});
