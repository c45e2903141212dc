import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';
import { asAvc3 } from '../../repair/avcc.js';
import { encryptCbcs, type ContentKey } from '../../repair/cbcs.js';
import { initEnd } from '../../repair/clips.js';
import { run } from './clip.js';

/** How the MPD says where segments lie. */
export type Addressing = 'SegmentTemplate' | 'SegmentBase';

export interface Ladder {
  readonly seconds: number;
  readonly segmentSeconds: number;
}

const FRAME_RATE = 25;

const MUXER_OPTIONS: Readonly<Record<Addressing, readonly string[]>> = {
  SegmentTemplate: ['-use_timeline', '0', '-media_seg_name', '$RepresentationID$-$Number%05d$.m4s'],
  SegmentBase: ['-single_file', '1', '-global_sidx', '1'],
};

/** What somebody else may have: two video levels and sound as plain DASH in `folder`. Returns the path of its MPD. */
export function makeLadder(
  folder: string,
  addressing: Addressing,
  { seconds, segmentSeconds }: Ladder,
  encoder: readonly string[] = [],
): string {
  const mpd = join(folder, 'ladder.mpd');
  const keyFrames = String(segmentSeconds * FRAME_RATE);
  run(ffmpegBinary(), [
    ...['-f', 'lavfi', '-i', `testsrc2=size=426x240:rate=${FRAME_RATE}:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=duration=${seconds}:sample_rate=48000`],
    ...['-map', '0:v', '-map', '0:v', '-map', '1:a', '-c:v', 'libx264', '-preset', 'veryfast', '-c:a', 'aac'],
    ...['-pix_fmt', 'yuv420p', '-g', keyFrames, '-keyint_min', keyFrames, '-sc_threshold', '0'],
    ...['-b:v:0', '150k', '-s:v:0', '256x144', '-b:v:1', '400k', ...encoder],
    ...['-f', 'dash', '-seg_duration', String(segmentSeconds), '-adaptation_sets', 'id=0,streams=v id=1,streams=a'],
    ...['-init_seg_name', '$RepresentationID$-init.mp4', ...MUXER_OPTIONS[addressing], mpd],
  ]);
  if (addressing === 'SegmentBase') referToSidx(folder, mpd);
  return mpd;
}

/** The key of ladders that `makeProtectedLadders` makes. */
export const LADDER_KEY: ContentKey = {
  id: Buffer.from('abba271e8bcf552bbd2e86a434a9a5d9', 'hex'),
  key: Buffer.from('69eaa802a6763af979e8d1940fb88392', 'hex'),
};

/**
 * Makes a ladder in one codec in a folder inside `folder` for each variant, `stream.mpd`, all of the same frames: `clear`, `cenc` or `cbcs`,
 * with -N after it where N segments at its start stay in the clear.
 */
export function makeProtectedLadders(
  folder: string,
  variants: readonly string[],
  codec: string,
  seconds: number,
): void {
  const generator = join(root, 'manifests/tests/protected_ladder.py');
  run(venvProgram('python'), [generator, folder, ...variants, '--codecs', codec, '--seconds', String(seconds)]);
}

/** Puts indexes for the ladder beside it, and a manifest that names them. */
export function copyLadder(folder: string, mpd: string, ...options: string[]): void {
  // To find the best of all orders is what the tests of preparation do.
  run(venvProgram('voxel-prepare'), ['--copy', mpd, '--out', folder, '--order', 'unreferenced', ...options]);
}

/**
 * Encrypts the video of a ladder with SegmentTemplate in place (`cbcs`), as its owner's packager would have; `lead`: so many segments at
 * its start stay in the clear.
 */
export function encryptLadder(folder: string, mpd: string, content: ContentKey, lead?: number): void {
  const files = readdirSync(folder).sort();
  for (const name of initializations(folder)) {
    const init = readFileSync(join(folder, name));
    const segments = files.filter((file) => file.startsWith(name.slice(0, 2)) && file.endsWith('.m4s'));
    segments.forEach((segment, index) => {
      // A segment is one fragment.
      const inTheClear = lead === undefined ? undefined : Number(index < lead);
      const encrypted = encryptCbcs(Buffer.concat([init, readFileSync(join(folder, segment))]), content, inTheClear);
      writeFileSync(join(folder, segment), encrypted.subarray(initEnd(encrypted)));
      writeFileSync(join(folder, name), encrypted.subarray(0, initEnd(encrypted)));
    });
  }
  const id = Buffer.from(content.id)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const scheme = `schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cbcs" cenc:default_KID="${id}"`;
  const clearKey = 'schemeIdUri="urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e" value="ClearKey1.0"';
  const text = readFileSync(mpd, 'utf8')
    .replace('<MPD', '<MPD xmlns:cenc="urn:mpeg:cenc:2013"')
    .replace(/(<AdaptationSet id="0"[^>]*>)/, `$1<ContentProtection ${scheme}/><ContentProtection ${clearKey}/>`);
  writeFileSync(mpd, text);
}

/** Leaves the parameter sets of a ladder's video to its samples, which have them, too (`repeat-headers=1`). */
export function leaveSetsInBand(folder: string, mpd: string): void {
  for (const name of initializations(folder))
    writeFileSync(join(folder, name), asAvc3(readFileSync(join(folder, name))));
  writeFileSync(mpd, readFileSync(mpd, 'utf8').replaceAll('codecs="avc1', 'codecs="avc3'));
}

/** Names of the initialization segments of a ladder's video. */
function initializations(folder: string): string[] {
  return readdirSync(folder).filter((file) => /^[01]-init\.mp4$/.test(file));
}

/** An MPD in `folder` whose periods are those of the ladders in these folders inside it. */
export function joinLadders(folder: string, names: readonly string[], seconds: number): string {
  const texts = names.map((name) => readFileSync(join(folder, name, 'ladder.mpd'), 'utf8'));
  const periods = texts.map((text, index) => {
    const content = /<Period[^>]*>([^]*)<\/Period>/.exec(text)![1]!;
    return `<Period id="p${index}" duration="PT${seconds}S"><BaseURL>${names[index]}/</BaseURL>${content}</Period>`;
  });
  const mpd = join(folder, 'joined.mpd');
  const duration = `mediaPresentationDuration="PT${names.length * seconds}S"`;
  const whole = texts[0]!.replace(/mediaPresentationDuration="[^"]*"/, duration);
  writeFileSync(mpd, whole.replace(/<Period[^]*<\/Period>/, periods.join('')));
  return mpd;
}

/** Adds a video set in VP9 to a ladder, which players choose where they have no other. */
export function addVp9(folder: string, mpd: string, { seconds, segmentSeconds }: Ladder): void {
  const keyFrames = String(segmentSeconds * FRAME_RATE);
  run(ffmpegBinary(), [
    ...['-f', 'lavfi', '-i', `testsrc2=size=256x144:rate=${FRAME_RATE}:duration=${seconds}`, '-c:v', 'libvpx-vp9'],
    ...['-deadline', 'realtime', '-b:v', '100k', '-g', keyFrames, '-keyint_min', keyFrames, '-f', 'dash'],
    ...['-seg_duration', String(segmentSeconds), '-use_timeline', '0', '-init_seg_name', 'vp9-init.mp4'],
    ...['-media_seg_name', 'vp9-$Number%05d$.m4s', '-dash_segment_type', 'mp4', join(folder, 'vp9.mpd')],
  ]);
  const added = /<AdaptationSet[^]*<\/AdaptationSet>/
    .exec(readFileSync(join(folder, 'vp9.mpd'), 'utf8'))![0]
    .replace(/<AdaptationSet id="0"/, '<AdaptationSet id="9" selectionPriority="0"')
    .replace(/<Representation id="0"/, '<Representation id="9"');
  writeFileSync(mpd, readFileSync(mpd, 'utf8').replace('</Period>', `${added}</Period>`));
}

/** Puts a SegmentBase, which FFmpeg does not write, in place of each SegmentList. */
function referToSidx(folder: string, mpd: string): void {
  const lists = /<BaseURL>([^<]+)<\/BaseURL>\s*<SegmentList[^]*?<\/SegmentList>/g;
  const text = readFileSync(mpd, 'utf8').replace(lists, (_, name: string) => {
    const media = readFileSync(join(folder, name));
    const start = media.indexOf('sidx') - 4;
    const end = start + media.readUInt32BE(start);
    return `<BaseURL>${name}</BaseURL><SegmentBase indexRange="${start}-${end - 1}"><Initialization range="0-${start - 1}"/></SegmentBase>`;
  });
  writeFileSync(mpd, text);
}
