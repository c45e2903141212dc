// @ts-check
// The figures of the first page, from sessions that are kept.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

/** Those that docs/RESULTS.md shows under “On recorded links”. */
const SESSIONS = 'docs/results/results-small/sessions.jsonl';
const BUFFER = 1;
const SYSTEMS = /** @type {const} */ ({ bola: 'BOLA', dynamic: 'Dynamic', voxel: 'VOXEL' });

/** @typedef {{ system: string, buffer: number, trace: string, startup: number, stallSeconds: number, bufRatio: number, score: number, versions: { commit: string } }} Session */

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * @param {string} title @param {string} better which way
 * @param {readonly Session[]} sessions @param {(session: Session) => number} valueOf @param {(value: number) => string} textOf
 */
function chart(title, better, sessions, valueOf, textOf) {
  const means = Object.keys(SYSTEMS).map((name) => mean(sessions.filter(({ system }) => system === name).map(valueOf)));
  const bars = Object.entries(SYSTEMS).map(([kind, label], index) => ({
    ...{
      kind,
      label,
      text: textOf(means[index] ?? 0),
      share: Math.round((100 * (means[index] ?? 0)) / Math.max(...means)),
    },
  }));
  return { title, better, bars };
}

/** @param {string} text lines of JSON, as trials keep them */
export function figuresOf(text) {
  const all = text
    .trim()
    .split('\n')
    .map((line) => /** @type {Session} */ (JSON.parse(line)));
  const sessions = all.filter(({ buffer, system }) => buffer === BUFFER && system in SYSTEMS);
  return {
    sessions: sessions.length / Object.keys(SYSTEMS).length,
    links: new Set(sessions.map(({ trace }) => trace)).size,
    commits: [...new Set(sessions.map(({ versions }) => versions.commit))].sort().join(' and '),
    charts: [
      chart(
        'Seconds waited',
        'less is better',
        sessions,
        ({ startup, stallSeconds }) => startup + stallSeconds,
        (s) => `${s.toFixed(1)} s`,
      ),
      chart(
        'Stalled, of the time',
        'less is better',
        sessions,
        ({ bufRatio }) => bufRatio,
        (share) => `${(100 * share).toFixed(1)} %`,
      ),
      chart(
        'Picture (SSIM)',
        'more is better',
        sessions,
        ({ score }) => score,
        (score) => score.toFixed(3),
      ),
    ],
  };
}

export const keptFigures = () => figuresOf(readFileSync(join(root, SESSIONS), 'utf8'));
