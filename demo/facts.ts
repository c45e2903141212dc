import type { SegmentRecord } from '../player/api/types.js';
import { byId } from './dom.js';
import type { FirstPictureTimes } from './first-pictures.js';
import { formatBytes, formatScore, formatSeconds, unknown } from './format.js';
import { lossesOf } from './losses.js';
import type { LivePlayback } from './report.js';
import type { PlaybackSummary } from './video-observer.js';

/** Writes the figures beside the video. */
export function showFacts(
  playback: PlaybackSummary,
  { startMs, seekMs, resumeMs }: FirstPictureTimes,
  segments: readonly SegmentRecord[],
  live: LivePlayback | undefined,
  codec: string | undefined,
): void {
  const sum = (value: (segment: SegmentRecord) => number) =>
    segments.reduce((total, segment) => total + value(segment), 0);
  const losses = segments.map(lossesOf);
  const { stalls, stallSeconds, playedSeconds, droppedVideoFrames } = playback;
  const facts = {
    'fact-startup': secondsText(startMs),
    'fact-seek': secondsText(seekMs),
    'fact-resume': secondsText(resumeMs),
    'fact-stalls': stalls === 0 ? 'none' : `${stalls} · ${stallSeconds.toFixed(2)} s`,
    'fact-latency': live ? latencyText(live) : unknown,
    'fact-played': formatSeconds(playedSeconds),
    'fact-score': formatScore(meanScore(segments)),
    'fact-lost': formatBytes(losses.reduce((total, { lost }) => total + lost, 0)),
    'fact-again': formatBytes(losses.reduce((total, { fetchedAgain }) => total + fetchedAgain, 0)),
    'fact-missing': formatBytes(sum(({ bytesLost }) => bytesLost)),
    'fact-repaired': repairedText(
      sum(({ framesRepaired, firstPass }) => firstPass?.framesRepaired ?? framesRepaired),
      sum(({ framesRepaired }) => framesRepaired),
    ),
    'fact-skipped': String(sum(({ framesSkipped }) => framesSkipped)),
    'fact-held': String(sum(({ removed }) => removed.length)),
    'fact-codec': codecText(codec),
    'fact-dropped': String(droppedVideoFrames),
  };
  for (const [id, text] of Object.entries(facts)) byId(id, HTMLElement).textContent = text;
}

/** Those that the viewer gets, and how many there were before bytes were fetched again. */
export function repairedText(first: number, now: number): string {
  return first === now ? String(now) : `${now} · ${first} at first`;
}

/** Hundredths of a second: what a viewer notices. */
export function secondsText(ms: number | undefined): string {
  return ms === undefined ? unknown : `${(ms / 1000).toFixed(2)} s`;
}

/** Now, and what it is for 95 % of the time: `1.02 s · ≤ 1.10 s`. */
export function latencyText({ latency, p95 }: Pick<LivePlayback, 'latency' | 'p95'>): string {
  const text = (seconds: number | undefined) => (seconds === undefined ? unknown : `${seconds.toFixed(2)} s`);
  return `${text(latency)} · ≤ ${text(p95)}`;
}

/** Names of codecs by the first letters of their strings (RFC 6381). */
const codecNames: Readonly<Record<string, string>> = {
  avc1: 'H.264',
  avc3: 'H.264',
  av01: 'AV1',
  hvc1: 'HEVC',
  hev1: 'HEVC',
  vp09: 'VP9',
};

/** `codecs`: of what plays, as the manifest has it. */
export function codecText(codecs: string | undefined): string {
  return codecs ? (codecNames[codecs.slice(0, 4)] ?? codecs) : unknown;
}

/** Mean over the segments that have a score; undefined where none has. */
export function meanScore(segments: readonly Pick<SegmentRecord, 'score'>[]): number | undefined {
  const scores = segments.flatMap(({ score }) => (score === undefined ? [] : [score]));
  return scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : undefined;
}
