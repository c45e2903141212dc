import { beforeEach, expect, it, vi } from 'vitest';
import { AudioInitialization } from './audio-initialization.js';
import type { DashRepresentation, LoaderRequest, LoaderResponse } from './dash-types.js';

const bytes = Uint8Array.of(1, 2, 3).buffer;
const trackOf = (id: string) => ({ id, adaptation: { period: { index: 1 } } }) as DashRepresentation;
const english = trackOf('audio-0');
const addInitialization = vi.fn();

let presentation: { hasVoxelData: boolean };
let isRefused: boolean;
let initialization: AudioInitialization;
const dashLoad = vi.fn(({ customData }: LoaderRequest, response: LoaderResponse) => {
  response.data = bytes;
  customData.onloadend?.();
});

beforeEach(() => {
  dashLoad.mockClear();
  presentation = { hasVoxelData: true };
  isRefused = false;
  addInitialization.mockClear();
  const audio = { hasRefused: () => isRefused };
  initialization = new AudioInitialization({ content: { presentation }, audio, receiver: { addInitialization } });
});

async function load(representation = english, url = 'https://media.example/audio-0.mp4', range = '0-2') {
  const onloadend = vi.fn();
  const request = { url, customData: { request: { representation, range }, onloadend } } as unknown as LoaderRequest;
  const response: LoaderResponse = { request };
  initialization.load(request, response, dashLoad);
  await vi.waitFor(() => expect(onloadend).toHaveBeenCalledOnce());
  return response;
}

it('has dash.js load each once, and answers later requests, whatever becomes of the bytes', async () => {
  await load();
  const second = await load(english, 'https://media.example/audio-0.mp4?CMCD=bl%3D1');
  expect(new Uint8Array(second.data as ArrayBuffer)).toEqual(new Uint8Array(bytes));
  expect(second).toMatchObject({ status: 206 });
  structuredClone(second.data, { transfer: [second.data as ArrayBuffer] });
  expect((await load()).data).toMatchObject({ byteLength: 3 });
  expect(dashLoad).toHaveBeenCalledOnce();
  expect(addInitialization).toHaveBeenCalledExactlyOnceWith('1/audio-0', new Uint8Array(bytes));
});

it.each<[string, () => Promise<unknown>]>([
  ['of another track', () => load(trackOf('audio-1'))],
  ['of another file', () => load(english, 'https://media.example/audio-2.mp4')],
  ['of another place', () => load(english, undefined, '0-3')],
  ['of a file that the server has no more as it was', () => ((isRefused = true), load())],
  ['of a presentation without VOXEL data', () => ((presentation.hasVoxelData = false), load())],
])('leaves one %s to dash.js', async (_, again) => {
  await load();
  await again();
  expect(dashLoad).toHaveBeenCalledTimes(2);
});
