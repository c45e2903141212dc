import type { Ready } from '../../../tools/start/server.mjs';

/** What the server has been asked for and has sent; over HTTP/1.1 come the page's own files, too. */
const COUNTERS = /^voxel_(requests_total\{.*transport="(?!http1)|datagram_bytes_total|sessions )/;

/** Those lines of the server's counters whose names begin with `prefix`. */
export async function serverCounters({ metrics }: Ready, prefix = 'voxel_'): Promise<string> {
  if (metrics === null) throw new Error('the server has no counters');
  const response = await fetch(metrics);
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line.startsWith(prefix) && COUNTERS.test(line)).join('\n');
}
