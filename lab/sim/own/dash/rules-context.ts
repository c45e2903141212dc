import { receiveRate } from '../../../../src/abr-star/throughput.js';
import type { DecisionState, ThroughputSample } from '../../../../src/abr-star/types.js';
import { STREAM_INFO, type DashRepresentation } from './representation.js';

/** Share of the throughput that rules of dash.js count on (`abr.throughput.bandwidthSafetyFactor`). */
const SAFETY = 0.9;

/** What a rule is asked about. */
export interface Question {
  readonly state: DecisionState;
  readonly representations: readonly DashRepresentation[];
  readonly current: DashRepresentation;
  /** Takes the time that the rule wants to wait, in milliseconds. */
  readonly onDelay: (milliseconds: number) => void;
}

/** The `RulesContext` that a rule of dash.js 5 is given, of what a simulation knows. */
export function rulesContext({ state, representations, current, onDelay }: Question): object {
  const playbackController = {
    ...{ getLowLatencyModeEnabled: () => false, getPlaybackRate: () => 1, getIsDynamic: () => false },
    ...{ isPaused: () => false, getTime: () => state.segmentIndex * state.segmentDuration - state.bufferLevel },
  };
  return {
    getMediaType: () => 'video',
    getMediaInfo: () => current.mediaInfo,
    getStreamInfo: () => STREAM_INFO,
    getRepresentation: () => current,
    getCurrentRequest: () => undefined,
    getAbrController: () => abrController(representations, current),
    getThroughputController: () => throughputController(state.samples),
    getScheduleController: () => ({
      setTimeToLoadDelay: onDelay,
      getBufferTarget: () => state.bufferCapacity,
      getPlaybackController: () => playbackController,
    }),
    getSwitchRequestHistory: () => ({ getSwitchRequests: () => ({}) }),
    getDroppedFramesHistory: () => ({ getFrameHistory: () => [] }),
    getVideoModel: () => ({ getPlaybackRate: () => 1, isPaused: () => false }),
  };
}

function abrController(representations: readonly DashRepresentation[], current: DashRepresentation): object {
  const lowest = representations[0]!;
  const all = () => [...representations];
  return {
    getPossibleVoRepresentations: all,
    getPossibleVoRepresentationsFilteredBySettings: all,
    getOptimalRepresentationForBitrate: (_: unknown, kbit: number) =>
      representations.findLast(({ bitrateInKbit }) => bitrateInKbit <= kbit) ?? lowest,
    getRepresentationByAbsoluteIndex: (index: number) => representations[index] ?? null,
    getAbandonmentStateFor: () => 'allowload',
    isPlayingAtLowestQuality: ({ id } = current) => id === lowest.id,
    isPlayingAtTopQuality: ({ id } = current) => id === representations.at(-1)!.id,
  };
}

/** Rates in kbit/s, times in ms; NaN: nothing has been measured. */
function throughputController(samples: readonly ThroughputSample[]): object {
  const average = () => {
    const rate = receiveRate(samples);
    return rate === undefined ? NaN : Math.round(rate / 1000);
  };
  const latencies = samples.map(({ timeToFirstByte = 0 }) => 1000 * timeToFirstByte);
  return {
    getAverageThroughput: average,
    getSafeAverageThroughput: () => SAFETY * average(),
    getAverageLatency: () => Math.round(latencies.reduce((sum, value) => sum + value, 0) / latencies.length),
    getRawThroughputData: () =>
      samples.map(({ bytes, seconds, timeToFirstByte = 0 }) => {
        const downloadTimeInMs = Math.max(1, 1000 * (seconds - timeToFirstByte));
        const value = Math.round((8 * bytes) / downloadTimeInMs);
        return { value, downloadedBytes: bytes, downloadTimeInMs, latencyInMs: 1000 * timeToFirstByte };
      }),
  };
}
