import type { SegmentDownload, SegmentRequest, VoxelSession } from '../../../src/voxel-loader/index.js';
import { PlayerError } from '../../errors.js';
import type { DownloadPlan } from './download-control.js';
import type { WantedSegment } from './requested-segment.js';

/** A download under way, and how it was asked for. */
export interface StartedDownload {
  readonly session: VoxelSession;
  readonly plan: DownloadPlan;
  readonly download: SegmentDownload;
}

/**
 * Asks for a segment over a session. `headerHosts`: besides the media's own host, who gets its headers. `after`: whose bytes go
 * first. Throws `PlayerError` unless the VOXEL server has the file.
 */
export function startDownload(
  session: VoxelSession,
  segment: WantedSegment,
  plan: DownloadPlan,
  { headerHosts, after }: { readonly headerHosts: readonly string[]; readonly after?: SegmentDownload | undefined },
): StartedDownload {
  const hosts = [new URL(segment.request.url).hostname, ...headerHosts];
  const request = { ...requestFor(segment, plan), headerHosts: hosts, after };
  return { session, plan, download: session.download(request) };
}

function requestFor(
  { request, map, key, edition, origin }: WantedSegment,
  { level, delivery, recovery, deadline, buffer, parity }: DownloadPlan,
): Omit<SegmentRequest, 'headerHosts'> {
  const { origin: mediaOrigin, pathname, search } = new URL(request.url);
  if (mediaOrigin !== origin) {
    throw new PlayerError('other-origin', `the manifest is on ${origin}, its media on ${mediaOrigin}`);
  }
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'range');
  return {
    representation: key,
    // What a VOXEL server is asked for.
    target: pathname + search,
    map,
    edition,
    unreliableBytes: map.steps[level]!.bytes,
    delivery,
    recovery,
    parity,
    headers: Object.fromEntries(headers),
    deadline,
    buffer,
  };
}
