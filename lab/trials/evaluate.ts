import { isNewPicture, shownPictures } from './shown-pictures.js';
import { metricsOf, qualityOfExperience, type Metrics } from '../sim/metrics.js';
import { mean } from '../sim/report/statistics.js';
import type { PlayedSegment } from '../sim/session.js';
import { crossTrafficLabel } from './cross-traffic.js';
import type { ScoredSegment } from './delivered-scores.js';
import { firstPictures } from './first-pictures.js';
import { countFrames } from './frame-counts.js';
import { LINK_LEAD_SECONDS, type Observation } from './job.js';
import { idleShare } from './link-log.js';
import type { PlaybackSummary } from '../../demo/video-observer.js';
import type { DeliveredSegment } from './page/types.js';
import { liveOutcome, type LiveOutcome } from './live/live-result.js';
import { playedSeconds, type Trial } from './plan.js';
import { endpointUrl } from './addresses.js';
import { countOutages } from './outage-counts.js';
import { countRecovery } from './recovery-counts.js';
import type { TrialResult, Versions } from './result.js';
import { problemsOf, type LinkSummary } from './validity.js';

/** Seconds by whose score a start is judged, beside the time that it takes. */
const FIRST_SECONDS = 10;

/** All that is known when a trial is over. */
export interface Evidence {
  readonly trial: Trial;
  /** From 1 on. */
  readonly attempt: number;
  readonly observation: Observation;
  /** Those with gaps, or all. */
  readonly scored: ReadonlyMap<number, ScoredSegment>;
  readonly link: LinkSummary;
  readonly versions: Versions;
  readonly date: Date;
}

/** A segment as it was played. */
export interface EvaluatedSegment extends DeliveredSegment, PlayedSegmentFacts {}

interface PlayedSegmentFacts {
  readonly score: number;
  /** Score of the whole segment of its representation. */
  readonly wholeScore: number;
  /** Bytes left out on purpose. */
  readonly bytesSkipped: number;
  readonly references: readonly boolean[] | undefined;
  /** Place of its representation in the ladder. */
  readonly place: number;
}

export function evaluate(evidence: Evidence): TrialResult {
  const { trial, attempt, observation, link, versions, date } = evidence;
  const { playback, outcome } = observation;
  const segments = evaluateSegments(evidence);
  const live = liveOutcome(trial, observation, evidence.scored);
  const scores = segments.map(({ score }) => Number(score.toFixed(5)));
  const problems = problemsOf({ trial, observation, link });
  const sum = (measure: (segment: EvaluatedSegment) => number) =>
    segments.reduce((total, segment) => total + measure(segment), 0);
  return {
    ...conditionsOf(trial),
    attempt,
    ...{ valid: problems.length === 0, problems, outcome },
    ...metrics(evidence, segments, live ?? playback),
    startup: playback.startupMs === undefined ? null : playback.startupMs / 1000,
    ...(!live && { firstPictures: firstPicturesOf(trial, observation) }),
    stallSeconds: live?.stallSeconds ?? playback.stallSeconds,
    ...(!live && { longestStall: playback.longestStall }),
    ...(live ? live.shown : shownOf(trial, observation)),
    ...(live && { live: live.live }),
    scores,
    ...measuresOf(evidence, segments),
    levels: segments.map(({ place }) => place),
    carriers: carrierShares(segments),
    scoreFirst: scoreFirst(segments, trial.media.content.segmentDuration),
    scoreLost: scoreLost(segments),
    bytesDelivered: sum(deliveredBytes),
    bytesSkipped: sum(({ bytesSkipped }) => bytesSkipped),
    bytesLost: sum(({ bytesLost }) => bytesLost),
    bytesRefetched: sum(({ bytesRefetched }) => bytesRefetched),
    ...countFrames(segments),
    ...countRecovery(segments),
    protocols: observation.protocols,
    ...connectionsOf(segments),
    ...(link.paths.length > 1 && { paths: pathResults(evidence) }),
    ...(observation.bulkRates.length > 0 && { bulkRates: observation.bulkRates }),
    ...(observation.discards && { discards: observation.discards.map((share) => Number(share.toFixed(3))) }),
    notes: observation.notes,
    lateFrames: playback.droppedVideoFrames / Math.max(1, playback.totalVideoFrames),
    timerDelayMs: observation.timerDelay.p99,
    linkLateMs: link.lateMs,
    linkIdle: linkIdle(evidence),
    versions,
    date: date.toISOString(),
  };
}

function firstPicturesOf({ path: { outages = [] } }: Trial, { pictures, seeks = [], times }: Observation) {
  return firstPictures({ times, pictures, seeks, outages });
}

/** From the first picture on until playback ended or was given up. Nothing of who jumps about: what the wait for a place is says `firstPictures`. */
function shownOf({ viewer }: Trial, { pictures, segments, playback, times, outcome }: Observation) {
  if (viewer && viewer.seeks > 0) return {};
  const last = pictures.at(-1)?.[0] ?? times.start;
  const span = { from: times.start, to: outcome === 'ended' ? last : times.end };
  const { stallSeconds, longestStall } = playback;
  return shownPictures({ pictures, isNew: isNewPicture(segments), span, stallSeconds, longestStall });
}

/** Segments by number with what they are worth. Throws where a segment with gaps was not scored. */
export function evaluateSegments({ trial, observation, scored: all }: Evidence): EvaluatedSegment[] {
  const { ladder, segments } = trial.media.content;
  return playedSegments(trial, observation, all)
    .toSorted((a, b) => a.index - b.index)
    .map((segment) => {
      const level = ladder.findIndex(({ bitrate }) => bitrate === segment.bandwidth);
      const content = segments[segment.index]?.[level];
      if (!content) throw new Error(`segment ${segment.index} of ${segment.representation} is not in the manifest`);
      const whole = content.steps.at(-1)!;
      const scored = all.get(segment.index);
      const isWhole = segment.framesSkipped + segment.framesRepaired === 0;
      if (!isWhole && scored?.score === undefined) throw new Error(`segment ${segment.index} has gaps and no score`);
      const missing = isWhole ? 0 : content.reliableBytes + whole.bytes - deliveredBytes(segment);
      return {
        ...segment,
        score: scored?.score ?? whole.score,
        wholeScore: scored?.wholeScore ?? whole.score,
        bytesSkipped: Math.max(0, missing - segment.bytesLost),
        references: scored?.references,
        place: level,
      };
    });
}

/** Segments before the time at which the viewer left: what was fetched beyond is not judged. */
export function watchedSegments<Segment extends Pick<DeliveredSegment, 'startTime'>>(
  viewer: Trial['viewer'],
  segments: readonly Segment[],
): readonly Segment[] {
  const end = viewer?.seconds;
  return end === undefined ? segments : segments.filter(({ startTime }) => startTime < end);
}

/** Segments that were played, of those before the time at which playback was left; in a live stream those that were appended to their ends and of which at least one picture was shown once players had settled. */
function playedSegments(
  { live, viewer }: Trial,
  { segments, pictures, live: seen, startedAt = 0 }: Observation,
  scored: ReadonlyMap<number, ScoredSegment>,
): readonly DeliveredSegment[] {
  if (!live || !seen) return watchedSegments(viewer, segments);
  const settled = startedAt + 1000 * live.settling;
  const times = pictures.filter(([at]) => at > settled).map(([, time]) => time);
  return segments.filter(({ index, startTime, duration }) => {
    const isShown = times.some((time) => time >= startTime && time < startTime + duration);
    return isShown && scored.has(index);
  });
}

/** The mean over the segments that say. */
function connectionsOf(segments: readonly EvaluatedSegment[]): Pick<TrialResult, 'connections'> {
  const counts = segments.flatMap(({ connections }) => connections ?? []);
  return counts.length === 0 ? {} : { connections: mean(counts) };
}

/** From the first segment's delivery to the last one's: the trace begins with the first packet, which is the player's first request. */
function linkIdle({ trial, observation, link }: Evidence): number | null {
  const lead = trial.live ? LINK_LEAD_SECONDS : 0;
  const times = observation.segments.map(({ deliveredAt }) => deliveredAt + lead);
  const seconds = link.paths.flatMap(({ down }) => down);
  return idleShare(seconds, Math.min(...times), Math.max(...times));
}

/** The paths' results, by what the emulator carried towards the client. */
function pathResults({ trial, observation, link: { paths } }: Evidence): TrialResult['paths'] {
  const { samples, pathMoments } = observation;
  const hasSeen = samples.some(({ pathBytes }) => pathBytes);
  const carried = paths.map(({ name, down }) => ({
    name,
    bytes: down.reduce((sum, { deliveredBytes }) => sum + deliveredBytes, 0),
  }));
  const total = carried.reduce((sum, { bytes }) => sum + bytes, 0);
  return carried.map((path, index) => {
    const moments = pathMoments.filter(({ url }) => url === endpointUrl(index));
    const outages = hasSeen ? trial.bundle?.[index]?.outages : undefined;
    return {
      ...{ ...path, share: path.bytes / Math.max(1, total) },
      ...(outages && { outages: countOutages(outages, index, { samples, moments }) }),
    };
  });
}

/** Nothing where none are asked for. */
function measuresOf({ trial: { measures }, scored }: Evidence, segments: readonly EvaluatedSegment[]) {
  if (measures.length === 0) return {};
  const values = measures.map(
    (name) => [name, segments.map(({ index }) => scored.get(index)!.measures[name])] as const,
  );
  return { measures: Object.fromEntries(values) };
}

function carrierShares(segments: readonly EvaluatedSegment[]) {
  const share = (carrier: DeliveredSegment['transport']) =>
    segments.filter(({ transport }) => transport === carrier).length / Math.max(1, segments.length);
  return { datagrams: share('datagrams'), streams: share('streams'), http: share('http') };
}

/** Mean score of the first seconds, segments weighed by how much of each they show. */
function scoreFirst(segments: readonly EvaluatedSegment[], duration: number): number | null {
  const shown = segments.map(({ index }) => Math.min(duration, Math.max(0, FIRST_SECONDS - index * duration)));
  const seconds = shown.reduce((sum, part) => sum + part, 0);
  return seconds === 0 ? null : segments.reduce((sum, { score }, i) => sum + score * shown[i]!, 0) / seconds;
}

/** Where frames were left out on purpose the losses' share of the damage is not known. */
function scoreLost(segments: readonly EvaluatedSegment[]): number | null {
  const complete = segments.filter(({ framesSkipped }) => framesSkipped === 0);
  if (complete.length === 0) return null;
  return mean(complete.map(({ score, wholeScore }) => wholeScore - score));
}

function conditionsOf(trial: Trial) {
  const { id, media, trace, shift, startSeconds, path, server, control, crossTraffic, buffer, system, repetition } =
    trial;
  return {
    id,
    video: media.name,
    trace: trace.name,
    shift,
    startSeconds,
    path: path.name,
    server,
    control,
    crossTraffic: crossTrafficLabel(crossTraffic),
    buffer,
    system: system.name,
    label: system.label,
    repetition,
  };
}

/** The simulator's measures. A session that was given up has a bufRatio of 1, and only what was delivered has scores. */
function metrics(
  { trial, observation }: Evidence,
  segments: readonly EvaluatedSegment[],
  { stalls, stallSeconds, live }: Pick<PlaybackSummary, 'stalls' | 'stallSeconds'> & Partial<LiveOutcome>,
): Omit<Metrics, 'startup' | 'scoreFirst'> {
  const { content } = trial.media;
  const duration = live?.seconds ?? playedSeconds(trial);
  const measured = metricsOf({
    segments: segments.map(playedSegment),
    segmentDuration: content.segmentDuration,
    startup: 0,
    stalled: stallSeconds,
    stalls,
  });
  const bufRatio = observation.outcome === 'hopeless' ? 1 : Math.min(1, stallSeconds / duration);
  const { score } = measured;
  const scores = segments.map((segment) => segment.score);
  return { ...measured, bufRatio, aSSIM: score / (1 + bufRatio), qoe: qualityOfExperience(scores, bufRatio) };
}

function playedSegment(segment: EvaluatedSegment): PlayedSegment {
  return {
    representation: segment.bandwidth,
    level: segment.level,
    score: segment.score,
    bytes: deliveredBytes(segment),
    missing: segment.bytesSkipped + segment.bytesLost,
    kept: false,
    restarts: 0,
  };
}

function deliveredBytes({ bytesReliable, bytesUnreliable }: DeliveredSegment): number {
  return bytesReliable + bytesUnreliable;
}
