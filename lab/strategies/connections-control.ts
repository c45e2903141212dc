import type { Abr } from '../../src/abr-star/index.js';
import { connectionsNeed } from './connections-need.js';
import { spreadOf, type ConnectionsRule } from './connections.js';
import type {
  DeliveredSegment,
  PathReport,
  SegmentDownload,
  SegmentRequest,
  VoxelSession,
} from '../../src/voxel-loader/types.js';

/** Says of each segment over how many connections it is asked for, and learns from what came: between the bitrate rule and the session. */
export class ConnectionsControl {
  readonly #rule: ConnectionsRule;
  /** For the segment that was chosen last. */
  #next = { segment: 0, connections: 1 };
  /** Each connection, as last reported. */
  #paths: readonly PathReport[] = [];

  constructor(rule: ConnectionsRule) {
    this.#rule = rule;
  }

  update(paths: readonly PathReport[]): void {
    this.#paths = paths;
  }

  /** That rule, listened to. */
  listenTo(abr: Abr): Abr {
    const choose: Abr['choose'] = (state) => {
      const choice = abr.choose(state);
      this.#next = {
        segment: state.segmentIndex,
        connections: this.#rule.choose(connectionsNeed(state, choice.option)),
      };
      return choice;
    };
    const { name, delivery, firstRate } = abr;
    return {
      name,
      choose,
      ...(delivery && { delivery }),
      ...(firstRate !== undefined && { firstRate }),
      ...(abr.review && { review: (progress) => abr.review!(progress) }),
      reset: () => abr.reset(),
    };
  }

  /** That session, over as many connections. */
  direct(session: VoxelSession): VoxelSession {
    return {
      thread: session.thread,
      closed: session.closed,
      download: (request) => this.#download(session, request),
      fetchInto: (segment, ranges) => session.fetchInto(segment, ranges),
      follow: (...of) => session.follow(...of),
      play: (playhead) => session.play(playhead),
      close: () => session.close(),
    };
  }

  #download(session: VoxelSession, request: SegmentRequest): SegmentDownload {
    const { segment, connections } = this.#next;
    const before = this.#paths.map(({ bytes }) => bytes);
    const download = session.download({ ...request, connections });
    const learn = ({ bytesMeasured, seconds, timeToFirstByte }: DeliveredSegment): void => {
      const own = this.#paths.slice(0, connections);
      // How long the server takes to answer says nothing of the link: a small first segment from a busy one would ask for more connections.
      const receiving = seconds - timeToFirstByte;
      if (receiving <= 0) return;
      this.#rule.add({
        segment,
        connections: Math.max(1, own.filter(({ state }) => state === 'open').length),
        rate: (bytesMeasured * 8) / receiving,
        spread: spreadOf(own.map(({ bytes }, index) => bytes - (before[index] ?? 0))),
      });
    };
    download.result.then(learn, () => {});
    return download;
  }
}
