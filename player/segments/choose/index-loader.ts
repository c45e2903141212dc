import { LOOKAHEAD } from '../../../src/abr-star/index.js';
import type { ByteRange } from '../../../src/manifest/byte-range.js';
import { ManifestError } from '../../../src/manifest/errors.js';
import { IndexedRepresentation } from '../../../src/manifest/indexed-representation.js';
import type { RepresentationMap } from '../../../src/manifest/segment-map.js';
import { PlayerError } from '../../api/errors.js';
import type { FetchRange } from '../../network/fetch-range.js';

/** A fetch starts when fewer segments than this are described: those that a decision looks at, and time to fetch. */
const SEGMENTS_NEEDED = LOOKAHEAD + 4;
/** And takes so many at once. */
const SEGMENTS_FETCHED = 3 * LOOKAHEAD;
/** Bytes of an index' rest that are fetched at once, however many segments they describe. */
const SMALL_REST = 16 * 1024;

/** Indexes fetched at a time, once one has shown that the link has room for them. */
const PARALLEL_FETCHES = 6;
/** Representations of more than so many times the link's rate are left for later. Their segments in part are within reach below that. */
const REACH = 2;
/** Seconds of a fetch that delays nothing, whatever the link carries: so few bytes do not show that. */
const BRIEF = 0.05;

/**
 * Seconds for which indexes wait for the first segment, if it does not come: then another representation may have to be chosen. In a
 * connection's first round trips each of them would take as long as the first picture's bytes.
 */
const LONGEST_HOLD = 1;

/** Milliseconds that a segment may wait for its description; then it is a plain one. */
const PATIENCE = 500;

/** Milliseconds before a failed fetch is tried again: doubled each time up to the limit. */
const FIRST_RETRY = 1_000;
const LONGEST_RETRY = 60_000;

/** Milliseconds between two times at which an index is loaded anew: a file may change all the time. */
const RELOAD_INTERVAL = 2_000;

interface Task {
  readonly representation: IndexedRepresentation;
  /** The segment that will be chosen next. */
  segmentIndex: number;
  state: 'idle' | 'busy' | 'failed';
  /** Fetched only where the link can carry the representation. */
  isOptional: boolean;
  /** Fetched once enough of the first segment is here. */
  isHeld: boolean;
  /** Milliseconds on the clock of `performance.now()`, and until the attempt after that. */
  retryAt: number;
  retry: number;
  /** Version of the index that is being read. */
  etag: string | undefined;
  /** Not from the browser's cache: there the former version may be. */
  cache: RequestCache;
  /** Milliseconds on that clock: not before then anew. */
  reloadAt: number;
  /** Called whenever something has arrived, and at the end. */
  waiting: (() => void)[];
}

/**
 * Fetches the indexes of representations ahead of the decisions that need them, lowest bitrate first, and of those that the link
 * can carry, or that it brings in no time: on a slow one all of them would take as long as the first segment. A representation whose index cannot be had, or is
 * none, plays as a plain one.
 */
export class IndexLoader {
  /** Bits/s, the most that a fetch has shown. */
  #rate = 0;
  /** The least that a fetch has taken. */
  #seconds = Infinity;
  readonly #tasks = new Map<RepresentationMap, Task>();
  readonly #queue: Task[] = [];
  #running = 0;
  /** What is wanted `later` is no longer held. */
  #isReleased = false;
  #hold: ReturnType<typeof setTimeout> | undefined;
  #stopped = new AbortController();

  /** `throughput`: bits/s, undefined before the first segment is here. */
  constructor(
    private readonly fetchRange: FetchRange,
    private readonly onError: (error: unknown, url: string) => void,
    private readonly throughput: () => number | undefined,
  ) {}

  /**
   * Starts to fetch what a decision about that segment needs: the lowest of these representations in any case. `later`: not before
   * `release`, or a second has passed, unless the link brings an index in no time.
   */
  want(representations: readonly RepresentationMap[], segmentIndex: number, when: 'now' | 'later' = 'now'): void {
    const indexed = representations.filter((candidate) => candidate instanceof IndexedRepresentation);
    indexed.sort((a, b) => a.bandwidth - b.bandwidth);
    for (const [place, representation] of indexed.entries()) {
      const task = this.#taskOf(representation);
      task.segmentIndex = segmentIndex;
      task.isOptional = place > 0 && (task.isOptional || task.state !== 'busy');
      task.isHeld = when === 'later' && !this.#isReleased && (task.isHeld || task.state !== 'busy');
      if (task.state !== 'idle' || performance.now() < task.retryAt || !rangeToFetch(task, SEGMENTS_NEEDED)) continue;
      task.state = 'busy';
      this.#queue.push(task);
    }
    if (when === 'later') this.#hold ??= setTimeout(() => this.release(), 1000 * LONGEST_HOLD);
    this.#startFetches();
  }

  /** Enough of the first segment is here: the link may bring other things beside it. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const task of this.#queue) task.isHeld = false;
    this.#startFetches();
  }

  /** True while more may become known of that segment. */
  isPending(representation: RepresentationMap, segmentIndex: number): boolean {
    return this.#busyTask(representation, segmentIndex) !== undefined;
  }

  /** Resolves when all that can be known of that segment is, or when waiting any longer would delay it too much. */
  async ready(representation: RepresentationMap, segmentIndex: number): Promise<void> {
    const end = performance.now() + PATIENCE;
    let task = this.#busyTask(representation, segmentIndex);
    while (task && performance.now() < end) {
      await nextArrival(task, end);
      task = this.#busyTask(representation, segmentIndex);
    }
  }

  /** The media file has changed, and so has its index: `want` loads it anew, unless that has just been done. */
  reload(representation: IndexedRepresentation): void {
    const task = this.#taskOf(representation);
    const now = performance.now();
    if (now < task.reloadAt) return;
    representation.forgetMedia();
    forget(task);
    task.reloadAt = now + RELOAD_INTERVAL;
    if (task.state === 'failed') task.state = 'idle';
  }

  /** Ends every fetch: another manifest is being loaded, or none. */
  stop(): void {
    this.#stopped.abort();
    this.#stopped = new AbortController();
    this.#queue.length = 0;
    clearTimeout(this.#hold);
    this.#hold = undefined;
    for (const task of this.#tasks.values()) finish(task, 'failed');
    this.#tasks.clear();
  }

  #busyTask(representation: RepresentationMap, segmentIndex: number): Task | undefined {
    const task = this.#tasks.get(representation);
    return task?.state === 'busy' && !task.representation.index.has(segmentIndex) ? task : undefined;
  }

  #taskOf(representation: IndexedRepresentation): Task {
    const known = this.#tasks.get(representation);
    if (known) return known;
    const task: Task = {
      representation,
      segmentIndex: 0,
      state: 'idle',
      isOptional: true,
      isHeld: false,
      retryAt: 0,
      retry: FIRST_RETRY,
      etag: undefined,
      cache: 'default',
      reloadAt: 0,
      waiting: [],
    };
    this.#tasks.set(representation, task);
    return task;
  }

  #startFetches(): void {
    // Bits/s; 0: nothing is known of the link.
    const rate = Math.max(this.#rate, this.throughput() ?? 0);
    while (this.#running < (rate > 0 ? PARALLEL_FETCHES : 1)) {
      const place = this.#queue.findIndex(({ isHeld }) => !isHeld);
      if (place === -1) break;
      const [task] = this.#queue.splice(place, 1) as [Task];
      // The link neither carries that representation nor brings an index in no time.
      const isTooMuch = task.representation.bandwidth > REACH * rate && this.#seconds > BRIEF;
      if (task.isOptional && rate > 0 && isTooMuch) {
        finish(task, 'idle');
        continue;
      }
      this.#running++;
      void this.#fetch(task, this.#stopped.signal).finally(() => {
        this.#running--;
        this.#startFetches();
      });
    }
  }

  async #fetch(task: Task, stopped: AbortSignal): Promise<void> {
    const { indexUrl } = task.representation;
    try {
      for (let range = rangeToFetch(task); range; range = rangeToFetch(task)) {
        const { index } = task.representation;
        const askedAt = performance.now();
        const sent = await this.fetchRange(indexUrl, range, { signal: stopped, cache: task.cache });
        if (stopped.aborted) return;
        if (performance.now() - askedAt < 1000 * BRIEF) this.release();
        // An empty answer tells nothing: 0 bytes in 0 seconds is no number.
        this.#rate = Math.max(this.#rate, (8 * sent.bytes.length) / sent.seconds || 0);
        this.#seconds = Math.min(this.#seconds, sent.seconds);
        // It was asked for before the index was to be loaded anew.
        if (index !== task.representation.index) continue;
        checkVersion(task, sent.etag);
        index.add(sent.range, sent.bytes);
        wake(task);
      }
      task.retry = FIRST_RETRY;
      finish(task, 'idle');
    } catch (error) {
      if (stopped.aborted) return;
      task.retryAt = performance.now() + task.retry;
      task.retry = Math.min(2 * task.retry, LONGEST_RETRY);
      // It is no index, or the server says that it has none.
      const isPermanent =
        error instanceof ManifestError || (error instanceof PlayerError && error.code === 'index-refused');
      finish(task, isPermanent ? 'failed' : 'idle');
      this.onError(error, indexUrl);
    }
  }
}

/** Undefined when the next `needed` segments are described. */
function rangeToFetch({ representation, segmentIndex }: Task, needed = SEGMENTS_FETCHED): ByteRange | undefined {
  const { index } = representation;
  if (!index.missing(segmentIndex, segmentIndex + needed)) return undefined;
  const isSmall = index.bytesFrom(segmentIndex) <= SMALL_REST;
  return index.missing(segmentIndex, isSmall ? Infinity : segmentIndex + SEGMENTS_FETCHED);
}

/** Throws `PlayerError` when that is not the version of which the rest is: all of it is forgotten then. */
function checkVersion(task: Task, etag: string | undefined): void {
  task.etag ??= etag;
  if (etag === undefined || etag === task.etag) return;
  task.representation.forgetIndex();
  forget(task);
  throw new PlayerError('index-failed', 'the index has changed on the server');
}

function forget(task: Task): void {
  task.etag = undefined;
  task.cache = 'no-cache';
}

/** Resolves when something has arrived, at `end` (`performance.now()`) at the latest. */
function nextArrival({ waiting }: Task, end: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, end - performance.now());
    waiting.push(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function finish(task: Task, state: 'idle' | 'failed'): void {
  task.state = state;
  wake(task);
}

function wake(task: Task): void {
  for (const resolve of task.waiting.splice(0)) resolve();
}
