// @ts-check
import { startEncoder } from '../start/live.mjs';
import { startServer } from '../start/server.mjs';
import { DURATION, ensureSilentSample, REPRESENTATIONS, SEGMENT_SECONDS } from './content.mjs';

/** s; of a live stream, what makes encoding, sending and one repeat possible. */
const LATENCY = 1;

/** s; long enough for a close look at the frames afterwards. */
const LIVE_WINDOW = 900;

/** s; `voxel-live`'s own. */
const LIVE_SEGMENT_SECONDS = 1;

const FILM = { isLive: false, duration: DURATION, segmentDuration: SEGMENT_SECONDS };

/**
 * What plays, and where its servers are, off the emulated links.
 * @typedef {{ media: string, isLive: boolean, duration: number, segmentDuration: number,
 *   server: { httpPort: number, quicPort: number, certificateHashes: readonly string[] } }} Program `media`: URL of the folder;
 *   `duration`: of a comparison, s; `segmentDuration` in s
 */

/** @typedef {Awaited<ReturnType<typeof startPrograms>>} Programs */

/**
 * Serves the film, and encodes and serves a live stream while somebody wants one.
 * @param {string} film folder with manifest.mpd @param {string} [serverProgram] as `startServer`'s
 */
export async function startPrograms(film, serverProgram) {
  /** @param {string} folder */
  const serve = (folder) => startServer([folder, '--http-port', '0', '--quic-port', '0'], serverProgram);
  const filmServer = await serve(film);
  /** @type {ReturnType<typeof startLive> | undefined} */
  let live;

  async function startLive() {
    const video = await ensureSilentSample();
    const encoder = await startEncoder({
      video,
      latency: LATENCY,
      representations: REPRESENTATIONS,
      window: LIVE_WINDOW,
    });
    try {
      const server = await serve(encoder.folder);
      const settings = { isLive: true, duration: DURATION, segmentDuration: LIVE_SEGMENT_SECONDS };
      const stop = async () => {
        await server.stop();
        await encoder.stop();
      };
      return { program: programOf(server.ready, settings), failure: () => encoder.failure(), stop };
    } catch (error) {
      await encoder.stop();
      throw error;
    }
  }

  async function endLive() {
    const ending = live;
    live = undefined;
    await (await ending?.catch(() => undefined))?.stop();
  }

  return {
    /** Resolves with the server's last words when it has ended. */
    exited: filmServer.exited,
    /** The stream ends where the film is wanted: it costs a third of a core. @param {boolean} isLive @returns {Promise<Program>} */
    async program(isLive) {
      if (!isLive || (await live?.catch(() => undefined))?.failure()) await endLive();
      if (!isLive) return programOf(filmServer.ready, FILM);
      live ??= startLive();
      return (await live.catch(endLiveAndThrow)).program;
    },
    async stop() {
      await endLive();
      await filmServer.stop();
    },
  };

  /** Another attempt starts anew. @param {unknown} error @returns {Promise<never>} */
  async function endLiveAndThrow(error) {
    await endLive();
    throw error;
  }
}

/**
 * @param {import('../start/server.mjs').Ready} ready @param {Pick<Program, 'isLive' | 'duration' | 'segmentDuration'>} settings
 * @returns {Program}
 */
function programOf({ url, quicPort, certificateHashes }, settings) {
  return { ...settings, media: url, server: { httpPort: Number(new URL(url).port), quicPort, certificateHashes } };
}
