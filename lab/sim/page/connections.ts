import type { Network, Path, Subflow, Transfer } from './network.js';

/** Initial window: 10 segments (RFC 6928; thesis §3.3.1). */
export const INITIAL_WINDOW = 10 * 1460;

/** Defaults of the thesis' browser (§3.3.1). */
const CONNECTIONS_PER_HOST = 6;
const CONNECTIONS = 17;

/** Seconds after which an idle connection is closed (§3.3.1). */
const IDLE_TIMEOUT = 30;

/** Round trips before the first request (§3.3.3). */
const TCP_HANDSHAKE = 1;
const TLS_HANDSHAKE = 2;

/** What is asked for. */
export interface Wanted {
  readonly id: number;
  /** Bytes. */
  readonly size: number;
  readonly host: string;
  /** Over TLS. */
  readonly secure: boolean;
}

export interface Connection {
  readonly host: string;
  /** Over which it runs; requests go over the first. */
  readonly paths: readonly number[];
  /** Window of each path, bytes. */
  windows: readonly number[];
  /** When each path joins, seconds: before this nothing comes over it, since it joins after the first is open. */
  readonly joinedAt: readonly number[];
  current: Transfer | undefined;
  /** Asked for when the current one is here. */
  waiting: Wanted | undefined;
  /** Seconds. */
  idleSince: number;
}

/** How a transfer may go. */
export type Way =
  | { readonly kind: 'idle' | 'busy'; readonly connection: Connection }
  | { readonly kind: 'new'; readonly paths: readonly number[] };

/** The connections of one device, with the limits of a browser. */
export class Connections {
  readonly paths: readonly Path[];
  readonly network: Network;
  #open: Connection[] = [];

  constructor(paths: readonly Path[], network: Network) {
    this.paths = paths;
    this.network = network;
  }

  /** Connections over this path at work. */
  busyOver(path: number): number {
    return this.#open.filter(({ current, paths }) => current && paths.includes(path)).length;
  }

  /**
   * The way over these paths: a connection to the host that is idle, one that will be before a new one could be open, or a new
   * one (§3.3.1). Undefined: the limits leave none.
   */
  way(wanted: Wanted, paths: readonly number[]): Way | undefined {
    const suitable = this.#open.filter(({ host, ...own }) => host === wanted.host && samePaths(own.paths, paths));
    const idle = suitable.find((connection) => this.#isIdle(connection));
    if (idle) return { kind: 'idle', connection: idle };
    const soon = this.#idleSoon(suitable, this.network.time + this.setup(wanted, paths));
    if (soon) return { kind: 'busy', connection: soon };
    return this.#makeRoom(wanted.host) ? { kind: 'new', paths } : undefined;
  }

  /** Seconds until a new connection takes a request. */
  setup({ secure }: Wanted, [first]: readonly number[]): number {
    return (TCP_HANDSHAKE + (secure ? TLS_HANDSHAKE : 0)) * this.paths[first!]!.roundTrip;
  }

  /** Sends the request, at once or when the connection is idle. */
  send(wanted: Wanted, way: Way): void {
    if (way.kind === 'busy') {
      way.connection.waiting = wanted;
      return;
    }
    const connection = way.kind === 'new' ? this.#connect(wanted, way.paths) : way.connection;
    const requestedAt = this.network.time + (way.kind === 'new' ? this.setup(wanted, way.paths) : 0);
    this.#begin(wanted, connection, requestedAt);
  }

  /** A transfer is here: its connection takes the one that waits for it, or is idle. */
  finished(transfer: Transfer): void {
    const connection = this.#open.find(({ current }) => current?.id === transfer.id)!;
    connection.windows = transfer.subflows.map(({ window }) => window);
    connection.current = undefined;
    connection.idleSince = this.network.time;
    const { waiting } = connection;
    connection.waiting = undefined;
    if (waiting) this.#begin(waiting, connection, this.network.time);
  }

  /** Seconds: when the object would be here this way, if nothing else were asked for (§3.3.3); Infinity: not by `limit`. */
  predict(wanted: Wanted, way: Way, limit = Infinity): number {
    const network = this.network.copy();
    const connection = way.kind === 'new' ? this.#unopened(wanted, way.paths) : way.connection;
    let { windows } = connection;
    if (way.kind === 'busy') {
      const before = runTo(network, connection.current!.id, limit);
      if (!before) return Infinity;
      windows = before.subflows.map(({ window }) => window);
    }
    const requestedAt = network.time + (way.kind === 'new' ? this.setup(wanted, way.paths) : 0);
    network.start(this.#transfer(wanted, { ...connection, windows }, requestedAt));
    return runTo(network, wanted.id, limit) ? network.time : Infinity;
  }

  #begin(wanted: Wanted, connection: Connection, requestedAt: number): void {
    connection.current = this.#transfer(wanted, connection, requestedAt);
    this.network.start(connection.current);
  }

  /** The request goes over the first path, the answer comes over all. */
  #transfer({ id, size }: Wanted, { paths, windows, joinedAt }: Connection, requestedAt: number): Transfer {
    const atServer = requestedAt + this.paths[paths[0]!]!.roundTrip / 2;
    const subflows = paths.map((path, index): Subflow => {
      const startsAt = Math.max(atServer + this.paths[path]!.roundTrip / 2, joinedAt[index]!);
      return { path, startsAt, window: windows[index]! };
    });
    return { id, remaining: size, subflows };
  }

  #connect({ host, ...wanted }: Wanted, paths: readonly number[]): Connection {
    const closed = this.#makeRoom(host)!.closed;
    const connection = this.#unopened({ host, ...wanted }, paths);
    this.#open = [...this.#open.filter((open) => !closed.includes(open)), connection];
    return connection;
  }

  #unopened({ host }: Wanted, paths: readonly number[]): Connection {
    const firstOpen = this.network.time + TCP_HANDSHAKE * this.paths[paths[0]!]!.roundTrip;
    return {
      ...{ host, paths, current: undefined, waiting: undefined, idleSince: Infinity },
      windows: paths.map(() => INITIAL_WINDOW),
      joinedAt: paths.map((path, index) => (index === 0 ? 0 : firstOpen + 2 * this.paths[path]!.roundTrip)),
    };
  }

  /** The first of these that is idle by then, with nothing waiting for it. */
  #idleSoon(connections: readonly Connection[], by: number): Connection | undefined {
    const candidates = connections.filter(
      ({ current, waiting }) => current && !waiting && this.network.soonest(current) <= by,
    );
    if (candidates.length === 0) return undefined;
    const network = this.network.copy();
    for (let done = network.run(by); done; done = network.run(by)) {
      const { id } = done;
      const connection = candidates.find(({ current }) => current!.id === id);
      if (connection) return connection;
    }
    return undefined;
  }

  /** Which idle connections must go for a new one; undefined: all are at work. Browsers close the longest idle. */
  #makeRoom(host: string): { readonly closed: readonly Connection[] } | undefined {
    const timedOut = this.#open.filter((connection) => this.#isTimedOut(connection));
    const left = this.#open.filter((connection) => !timedOut.includes(connection));
    const longestIdle = (among: readonly Connection[]) =>
      among
        .filter((connection) => this.#isIdle(connection))
        .reduce<Connection | undefined>((a, b) => (a && a.idleSince <= b.idleSince ? a : b), undefined);
    const own = left.filter((connection) => connection.host === host);
    const isFull = own.length >= CONNECTIONS_PER_HOST;
    if (!isFull && left.length < CONNECTIONS) return { closed: timedOut };
    const closed = longestIdle(isFull ? own : left);
    return closed && { closed: [...timedOut, closed] };
  }

  #isIdle(connection: Connection): boolean {
    return !connection.current && !this.#isTimedOut(connection);
  }

  #isTimedOut({ current, idleSince }: Connection): boolean {
    return !current && this.network.time - idleSince > IDLE_TIMEOUT;
  }
}

function runTo(network: Network, id: number, limit: number): Transfer | undefined {
  for (let done = network.run(limit); done; done = network.run(limit)) if (done.id === id) return done;
  return undefined;
}

function samePaths(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((path, index) => path === b[index]);
}
