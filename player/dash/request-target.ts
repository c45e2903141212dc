/** Path and query of a media file: what a VOXEL server is asked for. */
export function requestTarget(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
