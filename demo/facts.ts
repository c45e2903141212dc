import type { SegmentRecord } from '../player/types.js';
import { byId } from './dom.js';
import { formatBytes, formatScore, formatSeconds, unknown } from './format.js';
import type { PlaybackSummary } from './video-observer.js';

/** Writes the figures beside the video. */
export function showFacts(playback: PlaybackSummary, segments: readonly SegmentRecord[]): void {
  const sum = (field: 'bytesLost' | 'framesSkipped' | 'framesRepaired') =>
    segments.reduce((total, segment) => total + segment[field], 0);
  const { startupMs, stalls, stallSeconds, playedSeconds, droppedVideoFrames } = playback;
  const facts = {
    'fact-startup': startupMs === undefined ? unknown : `${startupMs.toFixed(0)} ms`,
    'fact-stalls': stalls === 0 ? 'none' : `${stalls} · ${stallSeconds.toFixed(2)} s`,
    'fact-played': formatSeconds(playedSeconds),
    'fact-score': formatScore(meanScore(segments)),
    'fact-lost': formatBytes(sum('bytesLost')),
    'fact-repaired': String(sum('framesRepaired')),
    'fact-skipped': String(sum('framesSkipped')),
    'fact-dropped': String(droppedVideoFrames),
  };
  for (const [id, text] of Object.entries(facts)) byId(id, HTMLElement).textContent = text;
}

/** Mean over the segments that have a score; undefined where none has. */
export function meanScore(segments: readonly Pick<SegmentRecord, 'score'>[]): number | undefined {
  const scores = segments.flatMap(({ score }) => (score === undefined ? [] : [score]));
  return scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : undefined;
}
