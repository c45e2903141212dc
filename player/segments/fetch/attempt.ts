import { REVIEW_INTERVAL } from '../../../src/delivery/index.js';
import {
  VoxelError,
  type DeliveredSegment,
  type FedDownload,
  type SegmentDownload,
  type SegmentProgress,
  type VoxelErrorCode,
} from '../../../src/voxel-loader/index.js';
import type { SessionManager } from '../../network/session-manager.js';
import { silentError, SilenceWatch } from '../../network/silence-watch.js';
import type { ArrivingBody, LoadedHow } from '../../port/arriving-body.js';
import type { Delivery, FallbackEvent } from '../../api/types.js';
import type { Decision } from '../choose/rate-control.js';
import type { SegmentChooser } from '../choose/segment-chooser.js';
import { GivenPieces } from './given-pieces.js';
import { OverHttp } from './over-http.js';
import type {
  DownloadPlan,
  RequestedSegment,
  RunningDownload,
  SegmentRequests,
  StartedDownload,
} from './segment-requests.js';
import { watchSlowStart } from './slow-start.js';

export interface AttemptCollaborators {
  readonly sessions: Pick<SessionManager, 'ready' | 'isOpen' | 'isPaused' | 'abandon' | 'probe' | 'arrivals'>;
  readonly requests: Pick<SegmentRequests, 'plan' | 'start' | 'assemble' | 'canCut' | 'areOverSessions' | 'playback'>;
  readonly chooser: Pick<SegmentChooser, 'review'>;
  readonly recorder: AttemptRecorder;
  readonly owner: AttemptOwner;
}

/** What an attempt needs of a `DeliveryRecorder`. */
export interface AttemptRecorder {
  /** True before a segment has been delivered: the viewer waits for this one. */
  readonly isFirst: boolean;
  /** The segment takes a lower rung of the ladder than was asked for. */
  fellBack(segment: RequestedSegment, error: unknown, to: FallbackEvent['to']): void;
  /** HTTP has brought `data`, which the player is about to have. */
  loaded(segment: RequestedSegment, data: unknown, how: LoadedHow): void;
}

/** Who makes an attempt, and learns what becomes of it over the session. */
export interface AttemptOwner {
  /** The way over the session begins. Returns the segment's download, if it is under way already. */
  tookSession(attempt: Attempt): StartedDownload | undefined;
  /** Called every 50 ms while the segment comes over the session, unless a restart has been decided. */
  progressed(running: RunningDownload, progress: SegmentProgress): void;
  /** The session has brought the segment: the player waits for it. */
  delivered(attempt: Attempt, delivery: SessionDelivered): void;
  /** So many bytes of a segment that HTTP brings are here. */
  came(loaded: number, total: number): void;
  /** The session does not bring the segment any more. */
  leftSession(attempt: Attempt): void;
  /** The file is not what the index speaks of. Resolves when a request over HTTP brings what it is now. */
  fileChanged(segment: RequestedSegment): Promise<void>;
}

/** What a session brought, and how it was asked for. */
export interface SessionDelivered {
  readonly plan: Pick<DownloadPlan, 'level'> & { readonly delivery: Delivery };
  /** Its `bytes` are those that the player has not been given. */
  readonly delivered: DeliveredSegment;
  /** What the player has been given before, in order. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  /** Asked for ahead of the player. */
  readonly early: boolean;
}

/** On the way over a session. Each time it is taken is a state of its own: what came late of the former changes nothing. */
interface OverSession {
  readonly rung: 'session';
  /** Undefined: no session has been asked yet. */
  started: StartedDownload | undefined;
  readonly adopted: StartedDownload['download'] | undefined;
  /** Those that came after a restart had been decided, which the player need not have heard of yet, are held back. */
  readonly pieces: GivenPieces;
}

type State =
  | OverSession
  /** The player's own loader has been asked. */
  | { readonly rung: 'http' }
  /** Not begun, or over: delivered, aborted or released. */
  | { readonly rung: 'none' };

/**
 * The way of one segment to the player, down the ladder: early over HTTP where that has begun; over the session, as planned and then
 * on streams; over HTTP.
 */
export class Attempt {
  #state: State = { rung: 'none' };
  /** What a review decided to download instead: the player's adapter looks for it when it is told of progress. */
  restart: Decision | undefined;

  constructor(
    readonly segment: RequestedSegment,
    private readonly collaborators: AttemptCollaborators,
  ) {}

  /** What is under way over the session. */
  get download(): SegmentDownload | undefined {
    return this.#state.rung === 'session' ? this.#state.started?.download : undefined;
  }

  /** Resolves when the segment is delivered, aborted or handed to the player's loader. */
  async start(): Promise<void> {
    if (!this.collaborators.requests.areOverSessions) this.#takeHttp('last');
    else if (this.segment.answer.earlyAt === undefined) await this.#takeSession();
    else this.#takeHttp('early');
  }

  /** Goes on over HTTP: the plugin is being detached. What the player has of the segment does not come again. */
  release(): void {
    const state = this.#state;
    if (state.rung !== 'session') return;
    if (state.pieces.given.length > 0)
      this.#fallBack(state, new VoxelError('session-closed', 'the session was closed'));
    else if (this.#leave(state)) this.segment.answer.loadOwn();
  }

  async #takeSession(): Promise<void> {
    const { answer } = this.segment;
    const started = this.collaborators.owner.tookSession(this);
    const pieces = new GivenPieces(answer);
    const state: OverSession = { rung: 'session', started, adopted: started?.download, pieces };
    this.#state = state;
    answer.onAbort(() => this.#leave(state));
    const onTimeout = (): void =>
      this.#fallBack(state, new VoxelError('timeout', `not delivered within ${answer.timeout} ms`));
    const timeout = answer.timeout > 0 ? setTimeout(onTimeout, answer.timeout) : undefined;
    const delivery = await this.#fetch(state).catch(async (error: unknown) => {
      if (hasCode(error, 'file-changed')) await this.collaborators.owner.fileChanged(this.segment);
      this.#fallBack(state, error);
    });
    clearTimeout(timeout);
    if (delivery) this.#deliver(state, delivery);
  }

  /**
   * `early`: no session has been asked. What is waited for is handed over in pieces then; where HTTP brings the first segment slowly, a
   * session that opens meanwhile is asked.
   */
  #takeHttp(when: 'early' | 'last'): void {
    const { recorder, sessions, owner } = this.collaborators;
    const { answer, decision, map } = this.segment;
    const { earlyAt } = answer;
    this.#state = { rung: 'http' };
    if (when === 'early') {
      const body = answer.piece && answer.takeEarly?.();
      if (body || this.#isWaitedFor()) return void this.#takePieces(body);
    }
    const { isFirst } = recorder;
    const startedAt = earlyAt ?? performance.now();
    answer.loadOwn((data) => {
      const seconds = (performance.now() - startedAt) / 1000;
      recorder.loaded(this.segment, data, { seconds, early: earlyAt !== undefined });
    });
    // Without a decision all of it would be asked for again.
    if (when === 'last' || !isFirst || !decision) return;
    const total = map.range.end - map.range.start;
    watchSlowStart({
      ...{ startedAt, total },
      loaded: () => {
        const loaded = answer.ownLoaded?.();
        if (loaded !== undefined) owner.came(loaded, total);
        return loaded;
      },
      canTakeOver: () => sessions.isOpen,
      takeOver: () => {
        answer.takeBack?.();
        void this.#takeSession();
      },
    });
  }

  /** Whether the player waits for the segment, of which nothing has come yet, and takes it in pieces. */
  #isWaitedFor(): boolean {
    const { requests } = this.collaborators;
    const { answer, key, map } = this.segment;
    const bytesRequested = map.range.end - map.range.start;
    const nothing = { bytesReliable: 0, bytesUnreliable: 0, bytesRequested, elapsed: 0 };
    return answer.piece !== undefined && requests.canCut(key) && requests.playback.waitsFor(nothing);
  }

  /** Hands over what comes over HTTP, as it comes: what was asked for early, or all of it, which is asked for now. */
  async #takePieces(early: ArrivingBody | undefined): Promise<void> {
    const { requests, recorder, sessions, owner } = this.collaborators;
    const { segment } = this;
    const { answer, decision } = segment;
    const onProgress = (loaded: number, total: number): void => owner.came(loaded, total);
    const askedAt = early?.startedAt ?? performance.now();
    const http = new OverHttp({ segment, fed: requests.assemble(segment, askedAt), onProgress });
    const body = early ?? http.ask();
    answer.onAbort(() => http.stop());
    // Without a decision all of it would be asked for again.
    if (decision && recorder.isFirst)
      watchSlowStart({
        ...{ startedAt: body.startedAt, total: body.bytes.length, duration: segment.fragment.duration },
        loaded: () => (http.isOver || http.pieces.length > 0 ? undefined : body.loaded),
        canTakeOver: () => sessions.isOpen,
        takeOver: () => {
          http.stop();
          void this.#takeSession();
        },
      });
    try {
      const bytes = await http.take(body);
      if (http.isStopped) return;
      const seconds = (performance.now() - body.startedAt) / 1000;
      // Connections of segments after the first are open already.
      const shown = recorder.isFirst ? body.shown : undefined;
      recorder.loaded(segment, body.bytes.buffer, { seconds, shown, early: early !== undefined });
      answer.deliver(bytes);
    } catch (error) {
      if (http.isStopped) return;
      http.stop();
      if (http.pieces.length > 0) this.#breakOff(error);
      else this.#takeHttp(early ? 'early' : 'last');
    }
  }

  /** Goes on over HTTP where a session has failed of which the player has been given pieces. */
  async #takeRest({ given, end }: GivenPieces, { plan }: StartedDownload, fed: Promise<FedDownload>): Promise<void> {
    const { segment } = this;
    const http = new OverHttp({ segment, fed, onProgress: () => undefined }, given);
    segment.answer.onAbort(() => http.stop());
    try {
      const { delivered, bytes, seconds } = await http.takeRest(end);
      if (http.isStopped) return;
      const brought = { ...delivered, bytesMeasured: bytes, seconds };
      const how = { plan: { level: plan.level, delivery: 'http' as const }, pieces: given, early: false };
      this.collaborators.owner.delivered(this, { ...how, delivered: brought });
    } catch (error) {
      if (http.isStopped) return;
      http.stop();
      this.#breakOff(error);
    }
  }

  /** The rest of a segment cannot be had, and the player may not be given all of it once more: it ends with what has come. */
  #breakOff(error: unknown): void {
    this.collaborators.recorder.fellBack(this.segment, error, 'http');
    this.segment.answer.deliver(new Uint8Array(0));
  }

  /** Fetches as planned, or on streams when that fails. Undefined: it is not wanted any more. */
  async #fetch(state: OverSession): Promise<SessionDelivered | undefined> {
    const { sessions, requests, recorder } = this.collaborators;
    state.started ??= await this.#ask(state);
    if (!state.started) return undefined;
    const { session, plan } = state.started;
    try {
      return await this.#follow(state, state.started);
    } catch (error) {
      // What the player has been given of it may not come again.
      if (state.pieces.given.length > 0) throw error;
      // Anew when the page is shown again.
      if (sessions.isPaused) {
        state.started = undefined;
        return this.#fetch(state);
      }
      if (hasCode(error, 'timeout')) sessions.abandon(session, error);
      // It is worth another try where this request failed on a session that goes on, and the server did not refuse it.
      const mayTry = this.#state === state && hasCode(error, 'bad-response', 'incomplete');
      if (plan.delivery === 'streams' || !mayTry) throw error;
      recorder.fellBack(this.segment, error, 'streams');
      state.started = requests.start(session, this.segment, { ...plan, delivery: 'streams' });
      return this.#follow(state, state.started);
    }
  }

  async #ask(state: OverSession): Promise<StartedDownload | undefined> {
    const { sessions, requests, recorder } = this.collaborators;
    const session = await sessions.ready(recorder.isFirst ? 'now' : 'soon');
    const plan = await requests.plan(this.segment);
    return this.#state === state ? requests.start(session, this.segment, plan) : undefined;
  }

  async #follow(state: OverSession, started: StartedDownload): Promise<SessionDelivered> {
    const { download, plan } = started;
    const { sessions } = this.collaborators;
    const silence = new SilenceWatch(() => sessions.probe(this.segment.origin), sessions.arrivals, performance.now());
    this.#handOver(state, started, download.progress());
    const review = setInterval(() => {
      this.#review(state, started);
      this.#watch(state, started, silence);
    }, 1000 * REVIEW_INTERVAL);
    const delivered = await download.result.finally(() => clearInterval(review));
    // All of it is here before the player has begun anew.
    if (this.#state === state && state.pieces.release()) this.restart = undefined;
    return { plan, delivered, pieces: state.pieces.given, early: download === state.adopted };
  }

  /** Has the segment handed over in pieces as soon as the viewer waits for it, and tells for when they are due. */
  #handOver(state: OverSession, { session, download }: StartedDownload, progress: SegmentProgress): void {
    const { playback } = this.collaborators.requests;
    if (!this.segment.answer.piece || this.#state !== state) return;
    // Told before: by what is known of playback the first piece may be handed over at once.
    playback.tell(session);
    if (!playback.waitsFor(progress)) return;
    download.handOver((piece) => {
      if (this.#state === state) state.pieces.take(piece, this.restart !== undefined);
    });
  }

  #review(state: OverSession, started: StartedDownload): void {
    const { chooser, owner } = this.collaborators;
    const { download } = started;
    const { pieces } = state;
    const progress = download.progress();
    this.#handOver(state, started, progress);
    const loaded = progress.bytesReliable + progress.bytesUnreliable;
    if (!this.restart) {
      const review = chooser.review(this.segment.decision, progress, pieces.seconds);
      if (review.action === 'keep') download.keep();
      // What has been appended of it stays.
      if (review.action === 'restart' && pieces.given.length === 0) this.restart = review.decision;
    }
    if (!this.restart) owner.progressed({ ...started, segment: this.segment, handedOver: pieces.seconds }, progress);
    // Players take the first progress for the first byte, and dash.js asks its abandonment rules on every one.
    if (loaded > 0 || this.restart) this.segment.answer.progress(loaded, progress.bytesRequested);
  }

  #watch(state: OverSession, { session, download }: StartedDownload, silence: SilenceWatch): void {
    const { bytesReliable, bytesUnreliable } = download.progress();
    if (this.#state !== state || !silence.look(bytesReliable + bytesUnreliable, performance.now())) return;
    const error = silentError();
    // What has arrived may do; a session that is closed takes its downloads along.
    if (!download.keep()) this.#fallBack(state, error);
    void download.result.catch(() => undefined).then(() => this.collaborators.sessions.abandon(session, error));
  }

  #deliver(state: OverSession, delivery: SessionDelivered): void {
    if (this.#state === state) {
      this.#state = { rung: 'none' };
      this.collaborators.owner.delivered(this, delivery);
    } else delivery.delivered.kept?.release();
  }

  #fallBack(state: OverSession, error: unknown): void {
    const { requests, recorder } = this.collaborators;
    const { started, pieces } = state;
    if (this.#state !== state) return;
    const goesOn = started !== undefined && pieces.given.length > 0;
    // Of two versions of a file nothing is put together.
    if (goesOn && hasCode(error, 'file-changed')) {
      this.#leave(state);
      return this.#breakOff(error);
    }
    // Before the download ends, and what it has brought with it.
    const rest = goesOn ? requests.assemble(this.segment, performance.now(), started.download) : undefined;
    this.#leave(state);
    recorder.fellBack(this.segment, error, 'http');
    if (rest) void this.#takeRest(pieces, started!, rest);
    else this.#takeHttp(started ? 'last' : 'early');
  }

  /** Ends the way over the session: nothing that it brings reaches the player any more. False: that was so already. */
  #leave(state: OverSession): boolean {
    if (this.#state !== state) return false;
    this.#state = { rung: 'none' };
    state.started?.download.abort();
    this.collaborators.owner.leftSession(this);
    return true;
  }
}

function hasCode(error: unknown, ...codes: VoxelErrorCode[]): boolean {
  return error instanceof VoxelError && codes.includes(error.code);
}
