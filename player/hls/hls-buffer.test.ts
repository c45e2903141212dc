import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HlsBuffer } from './hls-buffer.js';
import { events, type HlsLevel, type HlsPlayer } from './hls-types.js';

type Listener = (event: string, data: unknown) => void;

const initialization = (id: number): Uint8Array<ArrayBuffer> => Uint8Array.of(0, 0, 0, 9, 0x66, 0x74, 0x79, 0x70, id);
const media = Uint8Array.of(0, 0, 0, 9, 0x6d, 0x6f, 0x6f, 0x66, 7);
const ranges = (start: number, end: number): TimeRanges => ({ length: 1, start: () => start, end: () => end });

describe('HlsBuffer', () => {
  let listeners: Map<string, Listener[]>;
  let hls: HlsPlayer;
  let buffer: HlsBuffer;
  let stop: () => void;
  const trigger = vi.fn<(event: string, data: object) => void>();
  const place = (id: string) => ({
    ...{ index: 1, startTime: 2, duration: 2 },
    representation: { id, bandwidth: 1, segmentDuration: 2 },
  });

  function tell(event: string, data: object): void {
    for (const listener of listeners.get(event) ?? []) listener(event, data);
  }

  function append(level: number, data: Uint8Array, type = 'video'): void {
    const chunkMeta = { sn: 1, buffering: { audio: {}, video: {}, audiovideo: {} } };
    tell(events.bufferAppending, { type, parent: 'main', frag: { level }, part: null, chunkMeta, offset: -1, data });
  }

  const told = () => trigger.mock.calls.filter(([event]) => event === events.bufferAppending).map(([, data]) => data);

  beforeEach(() => {
    listeners = new Map();
    trigger.mockReset();
    const fragments = [0, 1].map(() => ({ initSegment: { sn: 'initSegment' } }));
    const levels = ['q00', 'q01', 'av1'].map((id) => ({
      attrs: { 'STABLE-VARIANT-ID': id },
      codecSet: id === 'av1' ? 'av01' : 'avc1',
      details: { fragments },
    })) as unknown as HlsLevel[];
    hls = {
      levels,
      media: { buffered: ranges(0, 4) } as HTMLMediaElement,
      trigger,
      on: (event: string, listener: Listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
      off: (event: string) => listeners.delete(event),
    } as unknown as HlsPlayer;
    buffer = new HlsBuffer(hls);
    stop = buffer.listen();
    append(0, initialization(0));
    append(0, media);
    append(1, initialization(1));
    append(1, media);
  });

  it('appends a segment between its initialization segment and that of what plays, at the same offset', async () => {
    const replaced = buffer.replace(place('q00'), media);
    const [appending] = told() as { data: Uint8Array; offset: number; frag: object; chunkMeta: object }[];
    expect(appending).toMatchObject({ type: 'video', parent: 'main', offset: -1, frag: { sn: 'initSegment' } });
    expect([...appending!.data]).toEqual([...initialization(0), ...media, ...initialization(1)]);
    tell(events.bufferAppended, { chunkMeta: appending!.chunkMeta });
    await expect(replaced).resolves.toBe(true);
  });

  it('tells hls.js that nothing follows where it had said so: appending opens what was ended', async () => {
    tell(events.bufferEos, { type: 'video' });
    const replaced = buffer.replace(place('q01'), media);
    tell(events.bufferAppended, { chunkMeta: (told()[0] as { chunkMeta: object }).chunkMeta });
    await replaced;
    expect(trigger).toHaveBeenLastCalledWith(events.bufferEos, { type: 'video' });
  });

  it('says that it has not where that fails, the media element goes, or it is stopped', async () => {
    const failed = buffer.replace(place('q00'), media);
    tell(events.error, { chunkMeta: (told()[0] as { chunkMeta: object }).chunkMeta });
    await expect(failed).resolves.toBe(false);
    const left = buffer.replace(place('q00'), media);
    tell(events.mediaDetaching, {});
    await expect(left).resolves.toBe(false);
    append(1, media);
    const ended = buffer.replace(place('q00'), media);
    stop();
    await expect(ended).resolves.toBe(false);
    await expect(buffer.replace(place('q00'), media)).resolves.toBe(false);
  });

  it('holds what is in the buffer, in the codec that plays, and whose initialization segment it has seen', () => {
    expect(buffer.holds(place('q00'))).toBe(true);
    expect(buffer.holds({ ...place('q00'), startTime: 3 })).toBe(false);
    expect(buffer.holds(place('av1'))).toBe(false);
    append(2, initialization(2));
    append(2, media);
    expect(buffer.holds(place('av1'))).toBe(true);
    expect(buffer.holds(place('q00'))).toBe(false);
    expect(buffer.holds(place('none'))).toBe(false);
  });

  it('takes sound for no video', () => {
    append(2, initialization(2), 'audio');
    expect(buffer.holds(place('q00'))).toBe(true);
    expect(buffer.holds(place('av1'))).toBe(false);
  });
});
