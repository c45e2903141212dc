import type { RepresentationMap } from '../../../src/manifest/segment-map.js';
import type { Ask, SegmentDownload, SegmentProgress } from '../../../src/voxel-loader/index.js';
import { PlayerError } from '../../api/errors.js';
import { refreshCache } from '../../network/fetch-range.js';
import { concatenate } from '../../../src/concatenate.js';
import type { PlayerRequest } from '../../port/player-request.js';
import type { PlayerSegment } from '../../port/player-segment.js';
import type { Content } from '../choose/content.js';
import type { Decision } from '../choose/rate-control.js';
import type { SegmentChooser } from '../choose/segment-chooser.js';
import type { DeliveryRecorder } from '../record/delivery-recorder.js';
import type { Attempt, AttemptOwner, SessionDelivered } from './attempt.js';
import type { Pipeline } from './pipeline.js';
import type { RequestedSegment, RunningDownload, StartedDownload, WantedSegment } from './segment-requests.js';

/** Seconds by which segments of sound may begin before those of video that have the same place. */
const TIME_TOLERANCE = 0.1;

export interface SegmentLoaderCollaborators {
  readonly content: Content;
  readonly chooser: Pick<SegmentChooser, 'chooseLevel'>;
  readonly pipeline: Pipeline;
  readonly recorder: DeliveryRecorder;
  /** How servers are asked. */
  readonly ask: Ask;
  readonly createAttempt: (segment: RequestedSegment, owner: AttemptOwner) => Attempt;
}

/** Loads video segments: those that have VOXEL data by an attempt each, the others with the player's own loader. */
export class SegmentLoader implements AttemptOwner {
  /** Attempts that are on their way over the session. */
  readonly #running = new Set<Attempt>();
  /** Index of the segment that was last asked for. */
  lastIndex = 0;
  #isReleased = false;

  constructor(private readonly collaborators: SegmentLoaderCollaborators) {}

  /** At once, unless the segment's index is on its way. */
  load(fragment: PlayerSegment, request: WantedSegment['request'], answer: PlayerRequest): void {
    const { content, recorder } = this.collaborators;
    const { indexes } = content;
    const { index } = fragment;
    recorder.asked(fragment);
    this.lastIndex = index;
    const map = this.#isReleased ? undefined : content.presentation.representation(fragment.representation!);
    if (map) indexes.want([map], index);
    if (!map || !indexes.isPending(map, index)) return this.#loadDescribed(fragment, request, answer);
    let isAborted = false;
    answer.onAbort(() => (isAborted = true));
    void indexes.ready(map, index).then(() => {
      if (isAborted) return;
      if (indexes.isPending(map, index) && !this.#isReleased) {
        recorder.fellBack({ fragment, request }, new PlayerError('index-late', 'the index has not arrived in time'));
      }
      this.#loadDescribed(fragment, request, answer);
    });
  }

  /** Asks for the very first segment, as `Pipeline.begin`. */
  begin(representation: RepresentationMap): void {
    if (this.collaborators.pipeline.begin(representation)) this.#reserve();
  }

  /** Playback goes on at that time: as `Pipeline.seek`. */
  seek(time: number): void {
    if (this.collaborators.pipeline.seek(time)) this.#reserve();
  }

  /** Finds the last running download of a segment that ends by that time, in seconds. */
  downloadBefore(time: number): SegmentDownload | undefined {
    const { earlySegment, earlyDownload } = this.collaborators.pipeline;
    const running = [...this.#running].map(({ segment, download }) => ({ segment: segment.fragment, download }));
    const all = [...running, { segment: earlySegment, download: earlyDownload }];
    const isBefore = ({ segment }: (typeof all)[number]): boolean =>
      segment !== undefined && segment.startTime + segment.duration <= time + TIME_TOLERANCE;
    return all.findLast((one) => one.download && isBefore(one))?.download;
  }

  /** True while that request is on its way over the session. */
  has(request: PlayerSegment): boolean {
    return this.#find(request) !== undefined;
  }

  /** What a review of that request decided to download instead. */
  restartOf(request: PlayerSegment): Decision | undefined {
    return this.#find(request)?.restart;
  }

  /** Hands every segment under way to the player's own loader. */
  release(): void {
    this.#isReleased = true;
    this.collaborators.pipeline.stop();
    for (const attempt of this.#running) attempt.release();
  }

  tookSession(attempt: Attempt): StartedDownload | undefined {
    this.#running.add(attempt);
    return this.collaborators.pipeline.adopt(attempt.segment);
  }

  progressed(running: RunningDownload, progress: SegmentProgress): void {
    this.came(progress.bytesReliable + progress.bytesUnreliable, progress.bytesRequested || Infinity);
    if (this.collaborators.pipeline.look(running, progress)) this.#reserve();
  }

  came(loaded: number, total: number): void {
    if (loaded >= total / 2) this.collaborators.content.indexes.release();
  }

  delivered(attempt: Attempt, { plan, delivered, pieces, early }: SessionDelivered): void {
    const { recorder, pipeline } = this.collaborators;
    const { segment } = attempt;
    const { received, bytes } = delivered;
    const asked = { level: plan.level, delivery: plan.delivery, early };
    const order = recorder.arrived(segment, asked, delivered);
    pipeline.delivered(delivered, early);
    // With that a pause began, but for the segment that has been asked for.
    this.#reserve();
    segment.answer.progress(received.size, received.size);
    segment.answer.deliver(bytes);
    const all = pieces.length > 0 ? concatenate([...pieces, bytes]) : bytes;
    // Once the plugin is detached nothing is fetched again.
    const kept = this.#isReleased ? undefined : delivered.kept;
    recorder.delivered(segment, asked, { ...delivered, bytes: all, kept }, order);
    this.#running.delete(attempt);
  }

  leftSession(attempt: Attempt): void {
    this.#running.delete(attempt);
    // What comes next counted on this one.
    this.collaborators.pipeline.cancel();
  }

  fileChanged({ fragment, request }: RequestedSegment): Promise<void> {
    this.collaborators.content.reload(fragment.representation!);
    return refreshCache(request.url, this.collaborators.ask);
  }

  /** The link is for the segment that has been asked for ahead of the player. */
  #reserve(): void {
    const { recorder, pipeline } = this.collaborators;
    if (pipeline.earlySegment) recorder.asked(pipeline.earlySegment);
  }

  #find(request: PlayerSegment): Attempt | undefined {
    return [...this.#running].find(({ segment }) => segment.fragment === request);
  }

  #loadDescribed(fragment: PlayerSegment, request: WantedSegment['request'], answer: PlayerRequest): void {
    const wanted = this.#isReleased ? undefined : this.#describe(fragment, request);
    if (wanted) void this.collaborators.createAttempt({ ...wanted, fragment, answer }, this).start();
    else answer.loadOwn();
  }

  /** Undefined for a segment without VOXEL data, or with bad data. */
  #describe(fragment: PlayerSegment, request: WantedSegment['request']): WantedSegment | undefined {
    const { content, recorder, chooser, pipeline } = this.collaborators;
    const { presentation } = content;
    const representation = fragment.representation!;
    try {
      const map = presentation.segment(fragment);
      const whole = presentation.representation(representation);
      if (!map || !whole) return undefined;
      pipeline.learn(whole, fragment, request);
      const decision = chooser.chooseLevel(whole, fragment);
      const { edition = 0 } = whole;
      const { startTime: start, duration } = fragment;
      const [key, time, { origin }] = [presentation.keyOf(representation), { start, duration }, presentation];
      return { request, key, map, time, edition, decision, origin };
    } catch (error) {
      recorder.fellBack({ fragment, request }, error);
      return undefined;
    }
  }
}
