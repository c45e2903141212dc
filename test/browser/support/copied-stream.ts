import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { root, venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';
import { run } from './clip.js';
import { liveFolder, untilThere } from './live-stream.js';

/** Pictures of each representation, and its bitrate. */
const LADDER = [
  { size: '160:90', bitrate: '100k' },
  { size: '256:144', bitrate: '250k' },
  { size: '426:240', bitrate: '500k' },
];

export interface CopiedStream {
  /** Ends the encoder as a crash does, and waits for that. */
  killEncoder(): Promise<unknown>;
  /** Starts the encoder again; its clock begins anew. */
  startEncoder(): void;
  /** Lets nothing through of one representation, the lowest of which is 0, or all of it again. */
  mute(place: number | undefined): void;
  /** Ends the stream, so that it can be played on demand. */
  end(): Promise<unknown>;
  /** Ends both as a crash does. */
  stop(): Promise<unknown>;
}

/** Has FFmpeg send a ladder over UDP and `voxel-live --copy` publish it; returns once there is a manifest. */
export async function startCopied(folder: string, ...options: string[]): Promise<CopiedStream> {
  const ports = await Promise.all(LADDER.map(freePort));
  const urls = ports.map((port) => `udp://127.0.0.1:${port}`);
  let muted: number | undefined;
  const ways = await Promise.all(ports.map((port, place) => forward(port, () => muted !== place)));
  const out = liveFolder(folder);
  const publisher = spawn(venvProgram('voxel-live'), ['--copy', ...urls, '--out', out, ...options], {
    stdio: 'ignore',
  });
  const published = once(publisher, 'exit');
  let encoder: ChildProcess;
  const startEncoder = () => {
    encoder = spawn(ffmpegBinary(), encoderWords(ways.map(({ url }) => url)), { stdio: 'ignore' });
  };
  const killEncoder = () => {
    const exited = once(encoder, 'exit');
    encoder.kill('SIGKILL');
    return exited;
  };
  startEncoder();
  await untilThere(`${out}/manifest.mpd`);
  return {
    killEncoder,
    startEncoder,
    mute: (place) => (muted = place),
    end: () => {
      publisher.kill('SIGINT');
      return published;
    },
    stop: async () => {
      publisher.kill('SIGKILL');
      for (const way of ways) way.close();
      await Promise.all([killEncoder(), published]);
    },
  };
}

/** The tones of two tracks of sound, in Hz, by their languages. */
export const TONES = { eng: 400, deu: 1000 } as const;

/**
 * Has `voxel-live --copy` publish a file in real time: pictures, two tracks of sound, and a cue of SCTE 35 every other second, of a break
 * that is announced a second before. Returns once there is a manifest.
 */
export async function startCopiedFile(folder: string, seconds: number): Promise<{ stop(): Promise<unknown> }> {
  const [plain, cued] = [join(folder, 'plain.ts'), join(folder, 'cued.ts')];
  const languages = Object.entries(TONES);
  const tones = languages.flatMap(([, tone]) => ['-f', 'lavfi', '-i', `sine=frequency=${tone}:sample_rate=48000`]);
  const named = languages.flatMap(([language], place) => [
    ...['-map', `${place + 1}:a`, `-metadata:s:a:${place}`, `language=${language}`],
  ]);
  run(ffmpegBinary(), [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=256x144:rate=30', ...tones, '-map', '0:v', ...named],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '30', '-sc_threshold', '0', '-b:v', '300k'],
    ...['-c:a', 'aac', '-t', `${seconds}`, '-f', 'mpegts', plain],
  ]);
  const breaks = Array.from({ length: (seconds >> 1) - 2 }, (_, place) => `${2 * place + 2}`);
  run(venvProgram('python'), [join(root, 'manifests/tests/cue_streams.py'), plain, cued, ...breaks]);
  const out = liveFolder(folder);
  const publisher = spawn(venvProgram('voxel-live'), ['--copy', cued, '--out', out], { stdio: 'ignore' });
  const published = once(publisher, 'exit');
  await untilThere(`${out}/manifest.mpd`);
  return {
    stop: () => {
      publisher.kill('SIGKILL');
      return published;
    },
  };
}

/** Has FFmpeg send a ladder as CMAF over HTTP and `voxel-live --ingest` publish it; returns, once there is a manifest, what ends both. */
export async function startIngested(folder: string): Promise<() => Promise<unknown>> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const out = liveFolder(folder);
  const listen = ['--ingest', `127.0.0.1:${port}`, '--out', out];
  const publisher = spawn(venvProgram('voxel-live'), listen, { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(publisher.stderr, 'data'); // it listens
  publisher.stderr.resume();
  const pictures = LADDER.flatMap(({ bitrate }, place) => ['-map', `[v${place}]`, `-b:v:${place}`, bitrate]);
  const form = ['-f', 'dash', '-method', 'PUT', '-streaming', '1', '-seg_duration', '1'];
  const output = [...pictures, '-map', '1:a', '-c:a', 'aac', ...X264, ...form, `http://127.0.0.1:${port}/live/a.mpd`];
  const encoder = spawn(ffmpegBinary(), [...sourceWords(), ...output], { stdio: 'ignore' });
  await untilThere(`${out}/manifest.mpd`);
  return () => {
    const ended = [publisher, encoder].map((program) => once(program, 'exit'));
    publisher.kill('SIGKILL');
    encoder.kill('SIGKILL');
    return Promise.all(ended);
  };
}

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '30', '-sc_threshold', '0'];

function encoderWords(urls: readonly string[]): string[] {
  const outputs = LADDER.flatMap(({ bitrate }, place) => [
    ...['-map', `[v${place}]`, ...(place === 0 ? ['-map', '1:a', '-c:a', 'aac'] : [])],
    ...[...X264, '-b:v', bitrate, '-f', 'mpegts', `${urls[place]}?pkt_size=1316`],
  ]);
  return [...sourceWords(), ...outputs];
}

/** Pictures of all sizes, `[v0]` and so on, and sound, `1:a`. */
function sourceWords(): string[] {
  const inputs = ['testsrc2=size=426x240:rate=30', 'sine=frequency=440:sample_rate=48000'];
  const scaled = LADDER.map(({ size }, place) => `[in${place}]scale=${size}[v${place}]`);
  const split = `[0:v]split=${LADDER.length}${LADDER.map((_, place) => `[in${place}]`).join('')}`;
  const from = inputs.flatMap((input) => ['-f', 'lavfi', '-i', input]);
  return ['-nostdin', '-re', ...from, '-filter_complex', [split, ...scaled].join(';')];
}

/** Where datagrams go to a port of this machine, as long as `passes` says so. */
async function forward(port: number, passes: () => boolean): Promise<{ url: string; close(): void }> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (datagram) => passes() && socket.send(datagram, port, '127.0.0.1'));
  return { url: `udp://127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

/** A port of UDP that nobody has. */
async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}
