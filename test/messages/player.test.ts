import { test } from 'vitest';
import { attachVoxel as attachPlain } from '../../player/attach.js';
import type { DashPlayer } from '../../player/dash/dash-types.js';
import { describeError } from '../../player/api/errors.js';
import { attachVoxel } from '../../lab/index.js';
import { attachVoxelHls } from '../../player/hls/index.js';
import { readRepresentation } from '../../src/manifest/representation.js';
import { expectTranscript } from './support/transcript.js';

/** A player of which the plugin gets as far as its options let it. */
function fakePlayer(isReady = false): DashPlayer {
  const settings = { streaming: { buffer: {}, abr: { rules: {} } } };
  const methods: Record<string, unknown> = {
    isReady: () => isReady,
    getSettings: () => settings,
    loadSource: undefined,
  };
  return new Proxy(
    {},
    { get: (_, name) => (String(name) in methods ? methods[String(name)] : () => undefined) },
  ) as DashPlayer;
}

/** The same of hls.js. */
const fakeHls = (url: string | null) => ({ config: {}, url, levels: [], on() {}, off() {}, loadSource() {} });

const representation = (changes: object) =>
  readRepresentation(
    { id: 'q00', bandwidth: 1e6, avgSSIM: 0.9, ...changes },
    'https://media.example/manifest.mpd',
    'voxel',
  );

/** Ten reliable bytes and ninety others. */
const SEGMENT = {
  mediaRange: '0-99',
  reliable: '0-9',
  unreliable: '10-99',
  reliableSize: '10',
  ssims: '0.9:0:0,1:1:90',
};

/** What the prompts of player.txt may use. */
const scope = {
  attachVoxel,
  attachPlain,
  attachVoxelHls,
  player: fakePlayer(),
  initialized: fakePlayer(true),
  hls: fakeHls(null),
  loading: fakeHls('https://media.example/master.m3u8'),
  // As `dashjs.MediaPlayer()` without `create()`.
  factory: { create() {} },
  segment: (changes: object) =>
    representation({ SegmentList: { SegmentURL: [{ ...SEGMENT, ...changes }] } })!.segment(0),
  representation,
  index: (value: string) =>
    representation({ SupplementalProperty: [{ schemeIdUri: 'urn:voxel-dash:index:2', value }] }),
};

/** Calls what a prompt says; the error that it throws, as pages see it. */
function complaintOf(expression: string): string {
  // The expressions are this project's own.
  // oxlint-disable-next-line typescript/no-implied-eval
  const call = new Function(...Object.keys(scope), `return ${expression}`) as (...values: unknown[]) => unknown;
  try {
    call(...Object.values(scope));
  } catch (error) {
    const { code, message } = describeError(error);
    return `${(error as Error).name} ${code}: ${message}`;
  }
  return 'no error';
}

test('the player says in one line what is wrong with an option or a manifest', async () => {
  await expectTranscript('player.txt', ({ text }) => complaintOf(text));
});
