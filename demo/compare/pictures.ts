import type { FrameState } from '../../player/api/types.js';
import { parseFragments, parseSampleEntries } from '../../src/repair/fmp4.js';
import { isReplaced } from './shown-frames.js';

/** A segment as it was encoded and as it was shown, and how to decode it. */
export interface SegmentBytes {
  /** `Representation@codecs`. */
  readonly codecs: string;
  readonly initialization: Uint8Array;
  readonly original: Uint8Array;
  /** With replacements for what was missing; undefined: nothing was. */
  readonly repaired: Uint8Array | undefined;
}

/** The pictures of one frame; undefined: there is none. */
export interface FramePictures {
  /** What a decoder makes of the frames that came, without repair. */
  readonly delivered: VideoFrame | undefined;
  readonly repaired: VideoFrame | undefined;
  readonly original: VideoFrame | undefined;
}

/** What the decoder gave up on, if it did. */
export class DecoderGaveUp extends Error {}

/** Decodes a segment three times, up to the frame at `place` in decode order. `states`: of all its frames. */
export async function decodeFrame(
  segment: SegmentBytes,
  states: readonly FrameState[],
  place: number,
): Promise<FramePictures> {
  const { original, repaired = original } = segment;
  const came = (frame: number) => !isReplaced(states[frame]!);
  const decode = (bytes: Uint8Array, takes?: (frame: number) => boolean) =>
    decodeSamples(segment, samplesOf(bytes), place, takes);
  const [delivered, shown, encoded] = await Promise.all([
    came(place) ? decode(original, came).catch(() => undefined) : undefined,
    decode(repaired),
    decode(original),
  ]);
  return { delivered, repaired: shown, original: encoded };
}

/** The frames of a segment in decode order. Throws `RepairError`. */
export function samplesOf(segment: Uint8Array): Uint8Array[] {
  return parseFragments(segment).flatMap(({ samples }) =>
    samples.map(({ offset, size }) => segment.subarray(offset, offset + size)),
  );
}

async function decodeSamples(
  { codecs, initialization }: SegmentBytes,
  samples: readonly Uint8Array[],
  place: number,
  takes: (frame: number) => boolean = () => true,
): Promise<VideoFrame | undefined> {
  let found: VideoFrame | undefined;
  let failure: DOMException | undefined;
  const decoder = new VideoDecoder({
    output(picture) {
      if (picture.timestamp === place && !found) found = picture;
      else picture.close();
    },
    error: (error) => (failure = error),
  });
  const description = parseSampleEntries(initialization).entries[0]!.configuration('avcC');
  decoder.configure({ codec: codecs, ...(description && { description }), optimizeForLatency: false });
  samples.forEach((data, frame) => {
    // A chunk's time is its place: pictures come in the order of display.
    if (takes(frame))
      decoder.decode(new EncodedVideoChunk({ type: frame === 0 ? 'key' : 'delta', timestamp: frame, data }));
  });
  try {
    await decoder.flush();
    decoder.close();
  } catch (error) {
    found?.close();
    throw new DecoderGaveUp(failure?.message ?? String(error));
  }
  return found;
}
