import type { DeliveredChunk, Following } from '../../../src/voxel-loader/types.js';
import { withCmcdOfSession, withoutCmcd, withoutCmcdOfRequest } from '../../network/cmcd.js';
import type { DashRepresentation, FragmentRequest, LoaderRequest } from '../dash-types.js';
import { keyOf } from '../presentation.js';

/** Seconds: a segment that is there already, or in a higher representation, is followed when no more than that of this one is missing. */
const LEAD = 0.25;

/** What of a request is needed to follow a segment. */
export type AheadRequest = Pick<LoaderRequest, 'url' | 'headers'> & {
  readonly customData: { readonly request: FragmentRequest };
};

export interface FollowAheadOptions {
  /** What dash.js would ask for now; undefined: nothing yet. */
  readonly next: () => FragmentRequest | undefined;
  /** In which representation it will; undefined: that cannot be followed ahead. */
  readonly choice: (next: FragmentRequest) => DashRepresentation | undefined;
  /** Until where there are pictures, in seconds. */
  readonly edge: () => number;
  /** Undefined: no session is open. May throw. */
  readonly follow: (request: AheadRequest, onChunk: (chunk: DeliveredChunk) => void) => Following | undefined;
}

interface EarlySegment {
  readonly fragment: FragmentRequest;
  /** Until dash.js asks for them. */
  readonly chunks: DeliveredChunk[];
  onChunk: (chunk: DeliveredChunk) => void;
  following?: Following;
}

/**
 * Follows the next live segment before dash.js asks for it, which it does once this one is complete. Until then a server has nothing
 * to send after the end of a segment: if that end is lost nothing follows it whose arrival would show the loss, and everybody waits
 * for QUIC's probes, for seconds if some of those are lost as well. Also where another representation is chosen for it.
 */
export class FollowAhead {
  /** What dash.js asked for last. */
  #current: AheadRequest | undefined;
  /** That was followed already, so that what its CMCD says has not been said. */
  #isUnsaid = false;
  /** Until where chunks have come, in seconds. */
  #arrived = -Infinity;
  #early: EarlySegment | undefined;
  /** Index of the segment that was followed ahead last: each is once. */
  #last: number | undefined;

  constructor(private readonly options: FollowAheadOptions) {}

  /** The key of the representation in which that segment is followed already. */
  representationOf(index: number): string | undefined {
    return this.#early?.fragment.index === index ? keyOf(this.#early.fragment.representation!) : undefined;
  }

  /** dash.js asks for a segment: takes over what was followed ahead, if it is that one; anything else is given up. */
  adopt(request: AheadRequest, onChunk: (chunk: DeliveredChunk) => void): Following | undefined {
    const early = this.#early;
    this.#current = request;
    this.#isUnsaid = false;
    if (!early || !isOf(early.fragment, request)) {
      this.cancel();
      return undefined;
    }
    this.#early = undefined;
    this.#isUnsaid = true;
    for (const chunk of early.chunks) onChunk(chunk);
    early.onChunk = onChunk;
    return early.following;
  }

  /** A chunk has come that reaches until then, in seconds. */
  arrived(until: number): void {
    this.#arrived = until;
    this.look();
  }

  /** Follows the next segment if it is time. */
  look(): void {
    const { next: nextOf, choice, edge, follow } = this.options;
    const current = this.#current;
    if (!current || this.#early) return;
    const next = nextOf();
    if (!next?.representation || next.index === this.#last) return;
    const { index, url } = current.customData.request;
    // The page may write into every address what cannot be foretold.
    if (next.index !== index + 1 || withoutCmcd(current.url) !== url) return;
    const isBeingMade = next.startTime + next.duration > edge();
    const isNear = this.#arrived >= next.startTime - LEAD;
    if (!isBeingMade && !isNear) return;
    const fragment = inRepresentation(next, choice(next));
    if (!fragment) return;
    // Until then more is known of the link.
    if (!isNear && fragment.representation!.bandwidth > next.representation.bandwidth) return;
    const chunks: DeliveredChunk[] = [];
    const early: EarlySegment = { fragment, chunks, onChunk: (chunk) => chunks.push(chunk) };
    const headers = this.#isUnsaid ? current.headers : withoutCmcdOfRequest(current.headers);
    try {
      const asSaid = this.#isUnsaid ? current.url : withCmcdOfSession(current.url);
      const cmcd = asSaid.startsWith(url) ? asSaid.slice(url.length) : '';
      const request = { url: fragment.url + cmcd, headers, customData: { request: fragment } };
      early.following = follow(request, (chunk) => early.onChunk(chunk));
    } catch {
      // It will be said when dash.js asks for it.
      return;
    }
    if (!early.following) return;
    this.#isUnsaid = false;
    this.#early = early;
    this.#last = fragment.index;
    early.following.result.catch(() => {
      if (this.#early === early) this.#early = undefined;
    });
  }

  /** Nothing is followed ahead any more. */
  cancel(): void {
    const early = this.#early;
    this.#early = undefined;
    early?.following?.abort();
  }

  /** Playback goes on elsewhere. */
  reset(): void {
    this.cancel();
    this.#current = this.#last = undefined;
    this.#arrived = -Infinity;
  }
}

/** The same segment in another representation, where its folder has the representation's name, as `voxel-live` does. */
function inRepresentation(next: FragmentRequest, choice: DashRepresentation | undefined): FragmentRequest | undefined {
  const { id } = next.representation!;
  if (!choice || choice.id === id) return choice && next;
  const at = next.url.lastIndexOf(`/${id}/`);
  const url = `${next.url.slice(0, at)}/${choice.id}${next.url.slice(at + id.length + 1)}`;
  return at < 0 ? undefined : { ...next, representation: choice, url };
}

function isOf({ index, representation, url }: FragmentRequest, { url: asked, customData }: AheadRequest): boolean {
  const { request } = customData;
  return (
    request.index === index &&
    keyOf(request.representation!) === keyOf(representation!) &&
    withoutCmcd(asked) === withoutCmcd(url)
  );
}
