import type { LadderRepresentation } from '../../../../src/abr-star/index.js';

/** A representation as rules of dash.js see it. */
export interface DashRepresentation {
  readonly id: string;
  /** Place in the ladder, 0 = lowest. */
  readonly absoluteIndex: number;
  readonly index: number;
  /** Bit/s, and the same in kbit/s. */
  readonly bandwidth: number;
  readonly bitrateInKbit: number;
  /** Seconds. */
  readonly fragmentDuration: number;
  readonly segmentDuration: number;
  readonly mediaInfo: MediaInfo;
}

export interface MediaInfo {
  readonly id: string;
  readonly index: number;
  readonly type: 'video';
  readonly streamInfo: StreamInfo;
  readonly representationCount: number;
  readonly bitrateList: readonly { readonly bandwidth: number }[];
}

export interface StreamInfo {
  readonly id: string;
  readonly index: number;
  readonly isLast: boolean;
  readonly start: number;
  readonly manifestInfo: { readonly isDynamic: boolean };
}

/** The one period of a simulation. */
export const STREAM_INFO: StreamInfo = {
  ...{ id: '0', index: 0, isLast: true, start: 0 },
  manifestInfo: { isDynamic: false },
};

/** The ladder, ascending. `segmentDuration`: seconds. */
export function representationsOf(
  ladder: readonly LadderRepresentation[],
  segmentDuration: number,
): readonly DashRepresentation[] {
  const mediaInfo: MediaInfo = {
    ...{ id: 'video', index: 0, type: 'video', streamInfo: STREAM_INFO, representationCount: ladder.length },
    bitrateList: ladder.map(({ bitrate }) => ({ bandwidth: bitrate })),
  };
  return ladder.map(({ bitrate }, index) => ({
    ...{ id: String(index), index, absoluteIndex: index, bandwidth: bitrate, bitrateInKbit: bitrate / 1000 },
    ...{ fragmentDuration: segmentDuration, segmentDuration, mediaInfo },
  }));
}
