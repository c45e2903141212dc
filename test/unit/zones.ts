// The directions of imports in TypeScript and scripts, checked by `architecture.test.ts`. A new folder, or a new arrow, is written down here.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';

/** What each folder may import of the folders in this table, besides itself: arrows point one way. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'src/manifest': [],
  'src/repair': [],
  'src/abr-star': ['src/manifest'],
  'src/coding': [],
  'src/delivery': ['src/manifest', 'src/abr-star', 'src/coding'],
  'src/voxel-loader': ['src/manifest', 'src/repair', 'src/delivery', 'src/coding'],
  player: ['src/manifest', 'src/abr-star', 'src/delivery', 'src/voxel-loader'],
  demo: ['src/manifest', 'src/repair', 'src/abr-star', 'src/coding', 'src/delivery', 'src/voxel-loader', 'player'],
};

/** What each room of `player/` may import of the others; its own files, the entry points, import all but `live` and `element`. */
const PLAYER_ROOMS: Readonly<Record<string, readonly string[]>> = {
  api: [],
  port: [],
  network: ['api'],
  viewing: ['api'],
  segments: ['api', 'port', 'network', 'viewing'],
  plugin: ['api', 'port', 'network', 'viewing', 'segments'],
  growing: ['api', 'port', 'segments'],
  dash: ['api', 'port', 'network', 'segments', 'growing'],
  hls: ['api', 'port', 'network', 'segments', 'growing', 'plugin'],
  latency: ['dash'],
};

/** What each room of `player/segments/` may import of the others; `wiring.ts` imports all, and none of them imports that. */
const SEGMENT_ROOMS: Readonly<Record<string, readonly string[]>> = {
  choose: [],
  record: ['choose'],
  fetch: ['choose', 'record'],
};

/** Zones of the rooms of a folder. `above`: what stands on top of them. */
const zonesOf = (folder: string, rooms: typeof PLAYER_ROOMS, above: readonly string[]): Zone[] =>
  Object.entries(rooms).map(([room, allowed]) => ({
    folder: `${folder}/${room}`,
    never: [...Object.keys(rooms).filter((other) => other !== room && !allowed.includes(other)), ...above].map(
      (other) => `${folder}/${other}`,
    ),
    shipped: true,
  }));

/**
 * A folder whose files import nothing of other folders. `but`: files and folders in it that may. `shipped`: its tests, and what only tests
 * use, may as well.
 */
export interface Zone {
  readonly folder: string;
  readonly never: readonly string[];
  readonly but?: readonly string[];
  readonly shipped?: boolean;
}

const inTable = Object.keys(ARROWS);

/** What runs in the worker: the page's part does without, `voxel-dash/lab` has both. */
const WORKER = ['src/repair', 'src/voxel-loader/worker'];

/** Each folder in `src/repair` is a codec. */
const CODECS = readdirSync(join(root, 'src/repair'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/repair/${name}`);

/** What of the laboratory runs in no page. */
const EXPERIMENTS = ['lab/sim', 'lab/compare', 'lab/trials', 'lab/study', 'lab/bench'];

export const ZONES: readonly Zone[] = [
  ...Object.entries(ARROWS).map(([folder, allowed]) => ({
    folder,
    never: inTable.filter((other) => other !== folder && !allowed.includes(other)),
  })),
  { folder: 'src/abr-star/star', never: ['src/abr-star/live'] },
  { folder: 'src/abr-star/live', never: ['src/abr-star/star'] },
  // Codecs stay behind their seam (src/repair/codec.ts): only the list of them knows one.
  ...['src', 'player', 'demo', 'lab'].map((folder) => ({
    folder,
    never: CODECS,
    but: ['src/repair/codecs.ts', ...CODECS],
    shipped: true,
  })),
  ...CODECS.map((folder) => ({ folder, never: CODECS.filter((other) => other !== folder) })),
  // The commands set up and start things; what measures and tests builds on them.
  { folder: 'tools', never: ['test', 'lab'] },

  // What is shipped does without tools, tests and laboratory: the entry points with all of it are in the laboratory. The demo shows every rule.
  ...['src', 'player'].map((folder) => ({ folder, never: ['tools', 'test', 'lab'], shipped: true })),
  { folder: 'demo', never: ['tools', 'test', ...EXPERIMENTS], shipped: true },
  ...['lab/rivals', 'lab/strategies', 'lab/worker'].map((folder) => ({
    folder,
    never: ['tools', 'test', ...EXPERIMENTS],
    shipped: true,
  })),
  { folder: 'lab/rivals', never: ['lab/strategies'] },
  { folder: 'lab/sim', never: ['lab/compare', 'lab/trials', 'lab/study', 'lab/bench'] },
  { folder: 'lab/compare', never: ['lab/trials', 'lab/study', 'lab/bench'] },
  { folder: 'lab/trials', never: ['lab/compare', 'lab/study', 'lab/bench'] },
  // Each player has a folder that knows it, and no other does.
  ...zonesOf('player', PLAYER_ROOMS, ['attach.ts', 'index.ts', 'live', 'element']),
  ...zonesOf('player/segments', SEGMENT_ROOMS, ['wiring.ts']),
  { folder: 'src/voxel-loader', never: WORKER, but: ['src/voxel-loader/worker'], shipped: true },
  { folder: 'player', never: WORKER, shipped: true },
  // The comparison takes segments apart to show single frames.
  { folder: 'demo', never: WORKER, but: ['demo/compare/pictures.ts'], shipped: true },
];
