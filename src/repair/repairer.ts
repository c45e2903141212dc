import { fragmentReaders, type Track } from './codecs.js';
import { applyEdits, type Edit, growth } from './edits.js';
import { missing, unsupported } from './errors.js';
import { type EncryptionOf, type Fragment, parseFragments } from './fmp4.js';
import { type ResizedSample, resizeSamples } from './fmp4-resize.js';
import { hold } from './hold.js';
import { removeMissing } from './removal.js';
import { clearSubsamples, isClear } from './subsamples.js';
import type { FrameReport, ReceivedBytes, Repairer } from './types.js';

/** Replaces what is missing of the frames of a track by what their codec has for it, or takes it out where a plan says so. */
export function trackRepairer(track: Track): Repairer {
  return {
    needsPlan: track.descriptions.some(({ whyNot }) => whyNot),
    repair(segment, received, plan, before) {
      if (plan?.kind === 'remove') {
        const fragments = readFragments(segment, received, () => parseFragments(segment, undefined, track.defaults));
        return removeMissing(track, segment, fragments, received, plan.frames, before);
      }
      const encryptionOf: EncryptionOf = (description) => track(description).encryption;
      const frames: FrameReport[] = [];
      const referenced = new Set<number>();
      const edits: Edit[] = [];
      const readerOf = fragmentReaders(track, segment, received);
      for (const fragment of readFragments(segment, received, () => parseFragments(segment, encryptionOf))) {
        const { codec } = track(fragment.description);
        const read = readerOf(fragment);
        const resized: ResizedSample[] = [];
        for (const sample of fragment.samples) {
          const { offset, size, sizeField, subsamples } = sample;
          const end = offset + size;
          if (sizeField === undefined && !received.contains(offset, end))
            throw missing(`sample at ${offset}, which cannot change its size`);
          const replaced = read(offset, end).flatMap(({ parts, edits, isReference, ...frame }) => {
            // What has been parsed of an encrypted sample must not be encrypted, whatever it looks like.
            const isReadable = parts.every((part) => isClear(offset, subsamples ?? [], part.start, part.headerEnd));
            if (!isReadable) throw unsupported('slice headers that are encrypted');
            const slices = parts.length;
            if (isReference) referenced.add(frames.length);
            frames.push({ index: frames.length, ...frame, slices, repairedSlices: edits.length, removed: false });
            return edits;
          });
          edits.push(...replaced);
          if (subsamples) edits.push(...clearSubsamples(offset, subsamples, replaced));
          const grown = growth(replaced);
          // The clear bytes of a subsample are few (16 bits): a filler may have more.
          const filler = subsamples ? undefined : codec.filler(-grown);
          if (filler) edits.push({ start: end, end, data: filler });
          else if (grown !== 0) resized.push({ sample, growth: grown });
        }
        edits.push(...resizeSamples(segment, fragment, resized));
      }
      const repaired = { bytes: applyEdits(segment, edits), frames };
      return plan ? hold(track, repaired, referenced, plan.frames) : repaired;
    },
  };
}

/** The segment's fragments; all bytes outside the sample data must be here. */
function readFragments(segment: Uint8Array, received: ReceivedBytes, parse: () => Fragment[]): Fragment[] {
  let fragments: Fragment[];
  try {
    fragments = parse();
  } catch (error) {
    if (received.contains(0, segment.length)) throw error;
    throw missing('movie fragment header is missing', error);
  }
  const isHeaderHere = fragments.every(({ start, mdatPayload }) => received.contains(start, mdatPayload));
  if (!isHeaderHere || !received.contains(fragments.at(-1)!.end, segment.length)) {
    throw missing('bytes outside the sample data are missing');
  }
  return fragments;
}
