// @ts-check
// What the installed Python packages are asked to do.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf, run } from '../setup/process.mjs';
import { startServer } from '../start/server.mjs';

const quiet = /** @type {const} */ ({ output: 'on-failure' });

/** Draws two seconds and prepares them in two segments. @param {string} programs folder @param {string} media folder to make @param {string} work */
export async function useVoxelPrepare(programs, media, work) {
  const python = join(programs, 'python');
  const ffmpeg = outputOf(python, ['-c', 'import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())']) ?? '';
  const source = join(work, 'source.mp4');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=256x144:rate=25', '-t', '2', '-pix_fmt', 'yuv420p'];
  await run(ffmpeg, ['-v', 'error', '-nostdin', ...picture, '-preset', 'ultrafast', source], quiet);
  const options = ['--segment', '1', '--representations', '144p', '--preset', 'ultrafast', '--passes', '1'];
  await run(join(programs, 'voxel-prepare'), [source, '--out', media, ...options], quiet);
  const described = outputOf(join(programs, 'voxel-inspect'), [media, '--json']);
  return described === undefined ? ['voxel-inspect cannot read it'] : [];
}

/** Serves a folder and reads its manifest, a range of its video and where its endpoint is. @param {string} program @param {string} media */
export async function useVoxelServe(program, media) {
  const server = await startServer([media, '--http-port', '0', '--quic-port', '0'], program);
  try {
    const get = (/** @type {string} */ path, /** @type {Record<string, string>} */ headers = {}) =>
      fetch(new URL(path, server.ready.url), { headers });
    const video = readdirSync(media).find((name) => name.endsWith('.mp4')) ?? '';
    const range = await get(video, { range: 'bytes=100-299' });
    const expected = readFileSync(join(media, video)).subarray(100, 300);
    const manifest = await (await get('manifest.mpd')).text();
    const { endpoint } = /** @type {{ endpoint: string }} */ (await (await get('.well-known/voxel.json')).json());
    return [
      ...(range.status === 206 && expected.equals(Buffer.from(await range.arrayBuffer())) ? [] : ['a range is wrong']),
      ...(manifest === readFileSync(join(media, 'manifest.mpd'), 'utf8') ? [] : ['the manifest is wrong']),
      ...(endpoint === server.ready.endpoint ? [] : [`the endpoint must be ${server.ready.endpoint}, got ${endpoint}`]),
    ];
  } finally {
    await server.stop();
  }
}
