import { readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Puts another version of every file in `folder` in its place, as a publisher does, the media last. Manifest and layout stay;
 * the fragments of the new version are numbered differently, which no player minds. Returns its videos by name.
 */
export function replaceMedia(folder: string): Map<string, Buffer> {
  const videos = new Map<string, Buffer>();
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).filter((name) => !name.endsWith('.mpd'));
  for (const name of names.sort((a, b) => Number(a.endsWith('.mp4')) - Number(b.endsWith('.mp4')))) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    if (name.endsWith('.mp4')) videos.set(name, renumber(bytes));
    writeFileSync(`${path}.new`, bytes);
    // Later by more than file systems round.
    const later = Date.now() / 1000 + 10;
    utimesSync(`${path}.new`, later, later);
    renameSync(`${path}.new`, path);
  }
  return videos;
}

/** Changes the numbers of the fragments in `bytes`, and returns it. */
function renumber(bytes: Buffer): Buffer {
  for (let start = 0; start < bytes.length; start += bytes.readUInt32BE(start)) {
    if (bytes.toString('latin1', start + 4, start + 8) !== 'moof') continue;
    // moof > mfhd: size, type, version and flags, number (ISO/IEC 14496-12 §8.8.5).
    bytes.writeUInt32BE(bytes.readUInt32BE(start + 20) + 1000, start + 20);
  }
  return bytes;
}
