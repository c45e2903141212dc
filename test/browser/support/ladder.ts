import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';
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
export function makeLadder(folder: string, addressing: Addressing, { seconds, segmentSeconds }: Ladder): string {
  const mpd = join(folder, 'ladder.mpd');
  const keyFrames = String(segmentSeconds * FRAME_RATE);
  run(ffmpegBinary(), [
    ...['-f', 'lavfi', '-i', `testsrc2=size=426x240:rate=${FRAME_RATE}:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=duration=${seconds}:sample_rate=48000`],
    ...['-map', '0:v', '-map', '0:v', '-map', '1:a', '-c:v', 'libx264', '-preset', 'veryfast', '-c:a', 'aac'],
    ...['-pix_fmt', 'yuv420p', '-g', keyFrames, '-keyint_min', keyFrames, '-sc_threshold', '0'],
    ...['-b:v:0', '150k', '-s:v:0', '256x144', '-b:v:1', '400k'],
    ...['-f', 'dash', '-seg_duration', String(segmentSeconds), '-adaptation_sets', 'id=0,streams=v id=1,streams=a'],
    ...['-init_seg_name', '$RepresentationID$-init.mp4', ...MUXER_OPTIONS[addressing], mpd],
  ]);
  if (addressing === 'SegmentBase') referToSidx(folder, mpd);
  return mpd;
}

/** Puts indexes for the ladder beside it, and a manifest that names them. */
export function copyLadder(folder: string, mpd: string, ...options: string[]): void {
  run(venvProgram('voxel-prepare'), ['--copy', mpd, '--out', folder, ...options]);
}

/** Encrypts the video of a ladder with SegmentTemplate in place (`cbcs`), as its owner's packager would have. */
export function encryptLadder(folder: string, mpd: string, content: ContentKey): void {
  const files = readdirSync(folder);
  for (const name of files.filter((file) => /^[01]-init\.mp4$/.test(file))) {
    const init = readFileSync(join(folder, name));
    const segments = files.filter((file) => file.startsWith(name.slice(0, 2)) && file.endsWith('.m4s'));
    for (const segment of segments) {
      const encrypted = encryptCbcs(Buffer.concat([init, readFileSync(join(folder, segment))]), content);
      writeFileSync(join(folder, segment), encrypted.subarray(initEnd(encrypted)));
      writeFileSync(join(folder, name), encrypted.subarray(0, initEnd(encrypted)));
    }
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
