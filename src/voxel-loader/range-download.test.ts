import { describe, expect, it } from 'vitest';
import type { SegmentMap } from '../manifest/segment-map.js';
import { FakeVoxelServer, responses, type FakeRequest } from '../../test/unit/fake-voxel-server.js';
import { fileBytes, segmentOf } from '../../test/unit/segment-content.js';
import { PageSession } from './page-session.js';
import { downloadRanges } from './range-download.js';
import { openSession } from './session.js';

/** Unreliable: 1110-1140, then 1040-1100. */
const map = segmentOf(1000, [40, 60, 10, 30]);
const [small, large] = map.unreliable as [SegmentMap['range'], SegmentMap['range']];

describe('downloadRanges', () => {
  async function download(answer: (request: FakeRequest) => void) {
    const server = new FakeVoxelServer(answer);
    const endpoint = { url: 'https://media.example/voxel', certificateHashes: [] };
    const session = new PageSession(await openSession(endpoint, server.WebTransport));
    return { server, download: downloadRanges(session, { target: '/a.mp4', map, ranges: [small, large] }) };
  }

  it('asks for the ranges on a stream, in their order, and puts them at their places', async () => {
    const { server, download: running } = await download((request) => {
      request.send(responses.reliable(request.body.length));
      request.send(request.body);
      request.finish();
    });
    const { bytes, received } = await running.result;
    expect(server.requests).toMatchObject([{ flow: undefined, ranges: [small, large] }]);
    expect([...received]).toEqual([
      { start: 40, end: 100 },
      { start: 110, end: 140 },
    ]);
    expect(bytes.subarray(40, 100)).toEqual(fileBytes([large]));
  });

  it('keeps what has arrived when it is stopped or the stream breaks', async () => {
    const { download: running } = await download((request) => {
      request.send(responses.reliable(request.body.length));
      request.send(request.body.subarray(0, 35));
      // A stream that breaks forgets what it has not yet handed over.
      setTimeout(() => request.reset());
    });
    const { received, failure } = await running.result;
    expect(received.size).toBe(35);
    expect(failure).toMatchObject({ code: 'incomplete', fatal: false });

    const { server, download: silent } = await download(() => {});
    await Promise.resolve();
    expect(silent.keep()).toBe(true);
    expect((await silent.result).received.size).toBe(0);
    expect(server.requests.every(({ cancelled }) => cancelled)).toBe(true);
  });
});
