import type { Path } from '../../src/voxel-loader/worker/paths/path.js';

/** Milliseconds after which a connection that no download has asked for is closed: longer than a few segments. */
const UNUSED = 10_000;

/** Paths to one address, as many as downloads ask for. */
export class ConnectionPaths {
  /** Paths by id; never empty. */
  readonly paths: Path[];
  readonly #create: (id: number) => Path;
  /** When each was last asked for. */
  readonly #wantedAt: number[];

  constructor(first: Path, create: (id: number) => Path) {
    this.paths = [first];
    this.#create = create;
    this.#wantedAt = [0];
  }

  /** Opens what is not there of so many, and closes what has not been asked for lately and owes nothing. */
  want(connections: number, isIdle: (path: Path) => boolean): void {
    const now = performance.now();
    while (this.paths.length < connections) {
      const path = this.#create(this.paths.length);
      this.paths.push(path);
      // It is tried again by itself.
      path.open().catch(() => undefined);
    }
    this.#wantedAt.splice(0, connections, ...Array.from({ length: connections }, () => now));
    while (this.#wantedAt.at(-1)! < now - UNUSED && isIdle(this.paths.at(-1)!)) {
      this.#wantedAt.pop();
      this.paths.pop()!.stop();
    }
  }
}
