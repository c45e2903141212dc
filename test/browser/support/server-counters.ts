/** What the server has been asked for and has sent, HTTP/1.1 left out: looking is a request itself. */
const COUNTERS = /^voxel_(requests_total\{.*transport="(?!http1)|datagram_bytes_total|sessions )/;

/** Those lines of the server's counters (`/metrics`) whose names begin with `prefix`. */
export async function serverCounters(url: string, prefix = 'voxel_'): Promise<string> {
  const response = await fetch(new URL('/metrics', url));
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line.startsWith(prefix) && COUNTERS.test(line)).join('\n');
}
