import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';
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
export function copyLadder(folder: string, mpd: string): void {
  run(venvProgram('voxel-prepare'), ['--copy', mpd, '--out', folder]);
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
