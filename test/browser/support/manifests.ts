/** Manifests made from a prepared one, with what voxel-prepare does not write, and what a prepared one names. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of each representation, beside the manifest: their names change with their content. */
export function filesOf(mpd: string): { id: string; media: string; index: string | undefined }[] {
  return [...mpd.matchAll(/<Representation [^>]*?\bid="([^"]*)"[\s\S]*?<\/Representation>/g)].map(([element, id]) => ({
    id: id!,
    media: /<BaseURL>([^<]*)</.exec(element)![1]!,
    index: /schemeIdUri="urn:voxel-dash:index:2" value="([^"]*)"/.exec(element)?.[1],
  }));
}

/** The bytes of a representation in the folder of a prepared video. */
export function mediaOf(folder: string, representation: string): Buffer {
  const files = filesOf(readFileSync(join(folder, 'manifest.mpd'), 'utf8'));
  return readFileSync(join(folder, files.find(({ id }) => id === representation)!.media));
}

/** Two periods instead of one: the first has `segments` segments of each representation. Segments described inline only. */
export function inTwoPeriods(mpd: string, segments: number, segmentSeconds: number): string {
  const [, period] = /(<Period [\s\S]*<\/Period>)/.exec(mpd)!;
  const total = Number(/mediaPresentationDuration="PT([\d.]+)S"/.exec(mpd)![1]);
  const cut = segments * segmentSeconds;
  const part = (id: number, start: number, end: number, keeps: (index: number) => boolean): string => {
    const lists = period!.replaceAll(
      /<SegmentList timescale="(\d+)"([\s\S]*?)<\/SegmentList>/g,
      (list, timescale: string) => {
        let index = 0;
        return list
          .replaceAll(/\s*<SegmentURL [^>]*\/>/g, (url) => (keeps(index++) ? url : ''))
          .replace('<SegmentList ', `<SegmentList presentationTimeOffset="${start * Number(timescale)}" `);
      },
    );
    return lists.replace(/<Period [^>]*>/, `<Period id="p${id}" start="PT${start}S" duration="PT${end - start}S">`);
  };
  const periods = part(0, 0, cut, (index) => index < segments) + part(1, cut, total, (index) => index >= segments);
  return mpd.replace(period!, () => periods);
}

/** With a second audio track, the same sound in another language, and WebVTT subtitles from `subtitles`. */
export function withTracks(mpd: string, subtitles: string): string {
  const [audio] = /<AdaptationSet [^>]*contentType="audio"[\s\S]*?<\/AdaptationSet>/.exec(mpd)!;
  const spoken = (lang: string): string =>
    audio
      .replace(' lang="und"', ` lang="${lang}"`)
      .replaceAll(/(<(?:AdaptationSet|Representation) id=")/g, `$1${lang}-`);
  const text =
    '<AdaptationSet id="text" contentType="text" mimeType="text/vtt" lang="en">' +
    `<Representation id="subtitles" bandwidth="256"><BaseURL>${subtitles}</BaseURL></Representation></AdaptationSet>`;
  return mpd.replace(audio, () => spoken('en') + spoken('fr') + text);
}

/** Without anything of VOXEL's. */
export function plain(mpd: string): string {
  return mpd.replaceAll(/\s*<SupplementalProperty schemeIdUri="urn:voxel-dash[^>]*\/>/g, '');
}

/** Live: the stream has begun `seconds` ago. */
export function live(mpd: string, seconds: number): string {
  const start = new Date(Date.now() - seconds * 1000).toISOString();
  return mpd
    .replace('type="static"', `type="dynamic" availabilityStartTime="${start}" timeShiftBufferDepth="PT20S"`)
    .replace(/ mediaPresentationDuration="[^"]*"/, '')
    .replace(/(<Period [^>]*?) duration="[^"]*"/, '$1');
}

/** Puts a playlist `several.m3u8` beside a prepared `master.m3u8`, with a second audio track: the same sound in another language, in files of its own. */
export function writeSeveralTracks(folder: string): void {
  const names = readdirSync(folder);
  const [sound, list] = ['.mp4', '.m3u8'].map((end) => names.find((n) => n.startsWith('audio-0') && n.endsWith(end))!);
  copyFileSync(join(folder, sound!), join(folder, 'french.mp4'));
  writeFileSync(
    join(folder, 'french.m3u8'),
    readFileSync(join(folder, list!), 'utf8').replaceAll(sound!, 'french.mp4'),
  );
  const french =
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="French",LANGUAGE="fr",AUTOSELECT=YES,CHANNELS="2",URI="french.m3u8"';
  const several = readFileSync(join(folder, 'master.m3u8'), 'utf8').replace(
    /^#EXT-X-MEDIA:TYPE=AUDIO.*$/m,
    (line) => `${line}\n${french}`,
  );
  writeFileSync(join(folder, 'several.m3u8'), several);
}
