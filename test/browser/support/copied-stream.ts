import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
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
    encoder = spawn(ffmpegBinary(), encoderWords(ways.map(({ url }) => `${url}?pkt_size=1316`)), { stdio: 'ignore' });
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
  const port = await freeTcpPort();
  const out = liveFolder(folder);
  const listen = ['--ingest', `127.0.0.1:${port}`, '--out', out];
  const publisher = spawn(venvProgram('voxel-live'), listen, { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(publisher.stderr, 'data'); // it listens
  publisher.stderr.resume();
  const form = ['-f', 'dash', '-method', 'PUT', '-streaming', '1', '-seg_duration', '1'];
  const output = [...picturesWords(), ...SOUND, ...X264, ...form, `http://127.0.0.1:${port}/live/a.mpd`];
  const encoder = spawn(ffmpegBinary(), [...sourceWords(), ...output], { stdio: 'ignore' });
  await untilThere(`${out}/manifest.mpd`);
  return () => {
    const ended = [publisher, encoder].map((program) => once(program, 'exit'));
    publisher.kill('SIGKILL');
    encoder.kill('SIGKILL');
    return Promise.all(ended);
  };
}

/** Ways on which FFmpeg sends a ladder: each representation a stream of its own, but over SRT, where they are one. */
export const WAYS = ['udp', 'srt', 'rtmp', 'ingest'] as const;

export type Way = (typeof WAYS)[number];

/**
 * Has FFmpeg send a ladder and `voxel-live` copy it; returns, once there is a manifest, what ends both. SRT takes FFmpeg's program on the path, by a
 * named pipe, as docs/LIVE.md has it.
 */
export async function startSent(folder: string, way: Way): Promise<() => Promise<unknown>> {
  if (way === 'udp') {
    const copied = await startCopied(folder);
    return () => copied.stop();
  }
  if (way === 'ingest') return startIngested(folder);
  const running = new Set<ChildProcess>();
  let hasEnded = false;
  /** Starts a program again whenever it ends: what it sends to may not listen yet. */
  const keepUp = (program: string, words: readonly string[]): void => {
    const one = spawn(program, words, { stdio: 'ignore' });
    running.add(one);
    one.once('exit', () => {
      running.delete(one);
      if (!hasEnded) setTimeout(() => hasEnded || keepUp(program, words), 500);
    });
  };
  const out = liveFolder(folder);
  const copy = (...inputs: string[]): void => keepUp(venvProgram('voxel-live'), ['--copy', ...inputs, '--out', out]);
  if (way === 'rtmp') {
    const ports = await Promise.all(LADDER.map(freeTcpPort));
    const at = (host: string): string[] => ports.map((port, place) => `rtmp://${host}:${port}/live/v${place}`);
    // It listens at such an address only.
    copy(...at('0.0.0.0'));
    keepUp(ffmpegBinary(), encoderWords(at('127.0.0.1'), 'flv'));
  } else {
    const [pipe, port] = [join(folder, 'srt.ts'), await freePort()];
    execFileSync('mkfifo', [pipe]);
    copy(pipe);
    const listener = [
      '-i',
      `srt://127.0.0.1:${port}?mode=listener`,
      '-map',
      '0',
      '-c',
      'copy',
      '-f',
      'mpegts',
      '-y',
      pipe,
    ];
    keepUp('ffmpeg', ['-nostdin', ...listener]);
    const to = ['-f', 'mpegts', `srt://127.0.0.1:${port}?mode=caller`];
    keepUp('ffmpeg', [...sourceWords(), ...picturesWords(), ...SOUND, ...X264, ...to]);
  }
  await untilThere(`${out}/manifest.mpd`);
  return () => {
    hasEnded = true;
    const ended = [...running].map((one) => once(one, 'exit'));
    for (const one of running) one.kill('SIGKILL');
    return Promise.all(ended);
  };
}

const SOUND = ['-map', '1:a', '-c:a', 'aac'];

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '30', '-sc_threshold', '0'];

/** All representations in one output. */
function picturesWords(): string[] {
  return LADDER.flatMap(({ bitrate }, place) => ['-map', `[v${place}]`, `-b:v:${place}`, bitrate]);
}

/** Each representation to a URL of its own, the sound with the first. */
function encoderWords(urls: readonly string[], format = 'mpegts'): string[] {
  const outputs = LADDER.flatMap(({ bitrate }, place) => [
    ...['-map', `[v${place}]`, ...(place === 0 ? SOUND : [])],
    ...[...X264, '-b:v', bitrate, '-f', format, urls[place]!],
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

/** The same of TCP. */
async function freeTcpPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
