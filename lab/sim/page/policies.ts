import { derivedSeed, seededRandom } from '../random.js';
import { arrival } from '../../../src/delivery/arrival.js';
import { INITIAL_WINDOW, type Connections, type Wanted, type Way } from './connections.js';

/** Over what to fetch an object, if that is possible now (thesis §3.3.4). */
export type Policy = (wanted: Wanted, connections: Connections) => Way | undefined;

/** Seconds: predictions that differ by less are equal, and the first interface is taken. */
const EQUAL = 1e-9;

/** Policies by name; each load begins with a new one. `seed`: of what is chosen at random. */
export const POLICIES: Readonly<Record<string, (seed: number) => Policy>> = {
  'interface-1': () => over([0]),
  'interface-2': () => over([1]),
  'round-robin': roundRobin,
  eaf: () => earliest([[0], [1]], (connections, ...way) => connections.predict(...way)),
  'eaf-formula': () => earliest([[0], [1]], estimate),
  'eaf-striped': () => earliest([[0], [1], [0, 1], [1, 0]], (connections, ...way) => connections.predict(...way)),
  'striped-1': () => over([0, 1]),
  'striped-random': (seed) => (wanted, connections) => {
    const first = seededRandom(derivedSeed(seed, wanted.host)).uniform() < 0.5 ? 0 : 1;
    return connections.way(wanted, [first, 1 - first]);
  },
};

function over(paths: readonly number[]): Policy {
  return (wanted, connections) => connections.way(wanted, paths);
}

function roundRobin(): Policy {
  let turn = 0;
  return (wanted, connections) => {
    const way = connections.way(wanted, [turn % 2]);
    if (way) turn++;
    return way;
  };
}

type Prediction = (connections: Connections, wanted: Wanted, way: Way, limit: number) => number;

/** Earliest arrival first: on the paths where the object is predicted to be here first (§3.2). */
function earliest(candidates: readonly (readonly number[])[], predict: Prediction): Policy {
  return (wanted, connections) => {
    let best: Way | undefined;
    let bestTime = Infinity;
    for (const paths of candidates) {
      const way = connections.way(wanted, paths);
      if (!way) continue;
      const time = predict(connections, wanted, way, bestTime);
      if (best && !(time < bestTime - EQUAL)) continue;
      best = way;
      bestTime = time;
    }
    return best;
  };
}

/** What a client can reckon that has no simulator: from rates, round trips and what is under way (§3.2.1). */
function estimate(connections: Connections, wanted: Wanted, way: Way): number {
  const [path] = way.kind === 'new' ? way.paths : way.connection.paths;
  const { rate, roundTrip } = connections.paths[path!]!;
  const facts = { rate, roundTrip, transfers: connections.busyOver(path!) };
  if (way.kind === 'new') {
    const setup = connections.setup(wanted, way.paths);
    return arrival(wanted.size, facts, { setup, remaining: 0, window: INITIAL_WINDOW });
  }
  const { current, windows } = way.connection;
  return arrival(wanted.size, facts, { setup: 0, remaining: current?.remaining ?? 0, window: windows[0]! });
}
