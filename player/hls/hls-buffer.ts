import { concatenate } from '../../src/concatenate.js';
import { secondsAhead, TIME_TOLERANCE } from '../port/buffered-time.js';
import type { BufferedSegment } from '../port/player-segment.js';
import { representationId } from './hls-presentation.js';
import { events, isAtLeast, levelsOf, type BufferAppending, type HlsLevel, type HlsPlayer } from './hls-types.js';

/** hls.js before that changes the times in a segment on its way to the buffer. */
const FIRST_WITH_OFFSETS = '1.6';

/** Whether what is in the buffer of that hls.js can be replaced. */
export const isReplaceable = (hls: HlsPlayer): boolean => isAtLeast(hls, FIRST_WITH_OFFSETS);

/**
 * The video's buffer of hls.js. It appends what is told with its event `hlsBufferAppending`, in the order of its own queue, whoever tells
 * it; what is told as an initialization segment leaves its books of media segments as they are.
 */
export class HlsBuffer {
  /** Initialization segments as hls.js has appended them, by representation. */
  readonly #initializations = new Map<string, Uint8Array>();
  /** Representation whose initialization segment the buffer was last given. */
  #current = '';
  /** How hls.js last appended media. */
  #last: Pick<BufferAppending, 'type' | 'parent' | 'chunkMeta' | 'offset'> | undefined;
  /** hls.js has said that no video follows. */
  #hasEnded = false;
  /** What has been told and not appended yet, by the object that comes back with it. */
  readonly #waiting = new Map<object, (isAppended: boolean) => void>();

  constructor(private readonly hls: HlsPlayer) {}

  /** Follows what hls.js appends, until the function returned is called. */
  listen(): () => void {
    const listeners: Readonly<Record<string, (data: Partial<BufferAppending>) => void>> = {
      [events.bufferAppending]: (data) => this.#onAppending(data as BufferAppending),
      [events.bufferAppended]: ({ chunkMeta }) => this.#settle(chunkMeta, true),
      [events.error]: ({ chunkMeta }) => this.#settle(chunkMeta, false),
      [events.bufferEos]: ({ type = 'video' }) => (this.#hasEnded ||= type === 'video'),
      [events.mediaDetaching]: () => this.#reset(),
    };
    const undo = Object.entries(listeners).map(([event, listener]) => {
      const own = (_: string, data: unknown): void => listener(data as Partial<BufferAppending>);
      this.hls.on(event, own);
      return () => this.hls.off(event, own);
    });
    return () => {
      for (const one of undo) one();
      this.#reset();
    };
  }

  /** True when the segment is in the buffer, and what is appended now would stand in its place. */
  holds({ representation, startTime, duration }: BufferedSegment): boolean {
    const [own, current] = [this.#level(representation.id), this.#level(this.#current)];
    const isKnown = this.#last !== undefined && this.#initializations.has(representation.id);
    if (!isKnown || !own || own.codecSet !== current?.codecSet) return false;
    const ahead = secondsAhead(this.hls.media?.buffered, startTime + TIME_TOLERANCE) ?? 0;
    return ahead >= duration - 2 * TIME_TOLERANCE;
  }

  /** Appends `media` over the segment as it is, the initialization segments around it in the same piece; false when that is not possible. */
  async replace(segment: BufferedSegment, media: Uint8Array): Promise<boolean> {
    const hls = this.hls;
    const { id } = segment.representation;
    const [own, current] = [this.#initializations.get(id), this.#initializations.get(this.#current)];
    const frag = this.#level(id)?.details?.fragments[segment.index]?.initSegment;
    if (!own || !current || !frag || !this.#last || !this.holds(segment)) return false;
    const { type, parent, offset } = this.#last;
    const chunkMeta = { ...this.#last.chunkMeta, buffering: { audio: {}, video: {}, audiovideo: {} } };
    const appended = new Promise<boolean>((resolve) => this.#waiting.set(chunkMeta, resolve));
    const data = concatenate([own, media, current]);
    hls.trigger(events.bufferAppending, { type, parent, offset, frag, part: null, chunkMeta, data });
    const isAppended = await appended;
    // It has opened the MediaSource again, which hls.js ends once.
    if (isAppended && this.#hasEnded) hls.trigger(events.bufferEos, { type });
    return isAppended;
  }

  #onAppending({ type, parent, frag, chunkMeta, offset, data }: BufferAppending): void {
    if (type !== 'video' || parent !== 'main' || this.#waiting.has(chunkMeta)) return;
    const level = levelsOf(this.hls)[frag.level];
    if (isInitialization(data) && level) {
      this.#current = representationId(level);
      this.#initializations.set(this.#current, data);
    } else {
      this.#last = { type, parent, chunkMeta, offset };
      this.#hasEnded = false;
    }
  }

  #settle(chunkMeta: object | undefined, isAppended: boolean): void {
    if (!chunkMeta) return;
    this.#waiting.get(chunkMeta)?.(isAppended);
    this.#waiting.delete(chunkMeta);
  }

  /** The buffer is another one, or somebody else's. */
  #reset(): void {
    for (const chunkMeta of this.#waiting.keys()) this.#settle(chunkMeta, false);
    this.#last = undefined;
    this.#hasEnded = false;
  }

  #level(id: string): HlsLevel | undefined {
    return levelsOf(this.hls).find((level) => representationId(level) === id);
  }
}

/** `ftyp` or `moov`, where media has `moof`, or something before it. */
function isInitialization(data: Uint8Array): boolean {
  return ['ftyp', 'moov'].includes(String.fromCharCode(...data.subarray(4, 8)));
}
