import { Connections, type Wanted } from './connections.js';
import { Network, type Path } from './network.js';
import type { Policy } from './policies.js';

export interface WebObject {
  /** Bytes. */
  readonly size: number;
  readonly host: string;
  /** Over TLS. */
  readonly secure: boolean;
  /** Indices of the objects that must be here before this one is asked for. */
  readonly after: readonly number[];
}

export type Page = readonly WebObject[];

/** Seconds until the last object of the page is here (thesis §3.3.1: network time alone). */
export function loadTime(page: Page, paths: readonly Path[], policy: Policy): number {
  const network = new Network(paths);
  const connections = new Connections(paths, network);
  const arrived = new Set<number>();
  let wanted: readonly Wanted[] = page.map((object, id) => ({ ...object, id }));
  for (;;) {
    // Where one object of a host has to wait for a connection, so have those behind it.
    const full = new Set<string>();
    wanted = wanted.filter((object) => {
      if (full.has(object.host) || !page[object.id]!.after.every((id) => arrived.has(id))) return true;
      const way = policy(object, connections);
      if (way) connections.send(object, way);
      else full.add(object.host);
      return !way;
    });
    const transfer = network.run();
    if (!transfer) break;
    arrived.add(transfer.id);
    connections.finished(transfer);
  }
  if (arrived.size < page.length) throw new Error(`${page.length - arrived.size} objects were never asked for`);
  return network.time;
}
