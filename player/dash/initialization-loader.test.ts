import { beforeEach, expect, it, vi } from 'vitest';
import { voxel, type Strategy } from '../../src/delivery/index.js';
import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import type { VoxelSession } from '../../src/voxel-loader/index.js';
import type { FetchRange } from '../network/fetch-range.js';
import type { DashRepresentation, LoaderRequest, LoaderResponse } from './dash-types.js';
import { InitializationLoader } from './initialization-loader.js';

const ORIGIN = 'https://media.example';
const RANGE = '0-3';

const representations = ['q00', 'q01', 'q02'].map((id): DashRepresentation => ({
  ...{ id, bandwidth: 1000, segmentDuration: 1, mseTimeOffset: 0, range: RANGE, codecs: 'av01.0.00M.08' },
  adaptation: { index: 0, period: { index: 0, start: 0, duration: 60 } },
}));
const [low, high] = representations as [DashRepresentation, DashRepresentation];
const bytesOf = ({ id }: DashRepresentation): Uint8Array => new TextEncoder().encode(`${id}!`);
const fileUrl = ({ id }: DashRepresentation): string => `${ORIGIN}/${id}.mp4`;

let maps: Map<DashRepresentation, { edition: number }>;
const receiver = { addInitialization: vi.fn(), expect: vi.fn() };
const pipeline = { learn: vi.fn() };
const begin = vi.fn();
const settings = { apply: vi.fn(), isApplied: false };
const parentLoad = vi.fn((request: LoaderRequest, response: LoaderResponse) => {
  const { customData } = request;
  Object.assign(response, { status: 206, data: bytesOf(customData.request.representation!).slice().buffer });
  customData.onloadend?.();
});
const fetchRange = vi.fn<FetchRange>((url) =>
  Promise.resolve({
    range: { start: 0, end: 4 },
    bytes: bytesOf(representations.find((one) => fileUrl(one) === url)!),
    seconds: 0,
  }),
);
let session: VoxelSession | undefined;
let strategy: Strategy;
let loader: InitializationLoader;

beforeEach(() => {
  vi.clearAllMocks();
  maps = new Map(representations.map((representation) => [representation, { edition: 0 }]));
  const content = {
    presentation: {
      representation: (one: DashRepresentation) => maps.get(one) as unknown as RepresentationMap,
      fileUrl,
    },
    indexes: { want: vi.fn(), ready: () => Promise.resolve() },
  };
  session = {} as VoxelSession;
  strategy = voxel;
  const sessions = {
    get session() {
      return session;
    },
  };
  const preferences = {
    get strategy() {
      return strategy;
    },
  };
  const headStart = { begin: () => undefined, isRunning: false };
  loader = new InitializationLoader({
    content,
    settings,
    sessions,
    preferences,
    receiver,
    pipeline,
    segments: { begin },
    headStart,
    firstPicture: { skip: () => undefined },
    fetchRange,
  });
});

/** Asks as dash.js does; resolves to what it gets. */
async function load(representation: DashRepresentation, query = ''): Promise<string> {
  const url = fileUrl(representation);
  const fragment = { ...{ type: 'InitializationSegment', mediaType: 'video', index: NaN, url, range: RANGE } };
  const request = { ...fragment, startTime: NaN, duration: NaN, representation };
  const customData: LoaderRequest['customData'] = { request, onloadend: undefined };
  const given: LoaderRequest = { url: url + query, headers: {}, timeout: 0, customData };
  const response: LoaderResponse = { request: given };
  const isHere = new Promise<void>((resolve) => (customData.onloadend = resolve));
  loader.load(given, response, parentLoad, 0);
  await isHere;
  expect(response.status).toBe(206);
  return new TextDecoder().decode(response.data as ArrayBuffer);
}

const waitForFetches = () => new Promise((resolve) => setTimeout(resolve));

it('has dash.js load each once: the next time it gets what came, and may do with that what it likes', async () => {
  expect(await load(low)).toBe('q00!');
  expect(await load(low, '?CMCD=bl%3D1')).toBe('q00!');
  expect(await load(high)).toBe('q01!');
  expect(parentLoad).toHaveBeenCalledTimes(2);
  expect(receiver.addInitialization.mock.calls).toEqual([
    ['0/q00', bytesOf(low)],
    ['0/q01', bytesOf(high)],
  ]);
  expect(pipeline.learn).toHaveBeenCalledTimes(3);
});

it.each<[string, string, () => void]>([
  ['its file has changed', '', () => (maps.get(low)!.edition = 1)],
  ['another presentation is played', '', () => maps.set(low, { edition: 0 })],
  ['the page has it come from elsewhere', '?token=2', () => undefined],
])('has dash.js load it again when %s', async (_, query, change) => {
  await load(low);
  change();
  expect(await load(low, query)).toBe('q00!');
  expect(parentLoad).toHaveBeenCalledTimes(2);
});

it('says beside each which codec is to come', async () => {
  const clear = { ...low, mediaInfo: { contentProtection: [] } };
  maps.set(clear, { edition: 0 });
  await load(clear);
  expect(receiver.expect).toHaveBeenCalledExactlyOnceWith('av01.0.00M.08');
  const encrypted = { ...high, mediaInfo: { contentProtection: [{}] } };
  maps.set(encrypted, { edition: 0 });
  await load(encrypted);
  expect(receiver.expect).toHaveBeenLastCalledWith('encv');
});

it('fetches those of the others once, and dash.js gets these', async () => {
  loader.want(representations);
  expect(fetchRange).not.toHaveBeenCalled();
  await load(low);
  loader.want(representations);
  loader.want(representations);
  await waitForFetches();
  expect(fetchRange.mock.calls.map(([url, range]) => [url, range])).toEqual([
    [`${ORIGIN}/q01.mp4`, { start: 0, end: 4 }],
    [`${ORIGIN}/q02.mp4`, { start: 0, end: 4 }],
  ]);
  const learnt = pipeline.learn.mock.calls.map(([map, request]) => [map as unknown, (request as LoaderRequest).url]);
  expect(learnt).toEqual(representations.map((one) => [maps.get(one), fileUrl(one)]));
  expect(receiver.addInitialization).toHaveBeenCalledTimes(3);
  expect(await load(high)).toBe('q01!');
  expect(parentLoad).toHaveBeenCalledOnce();
});

it.each<[string, () => Promise<unknown>, readonly DashRepresentation[]]>([
  ['the page changes addresses', () => load(low, '?token=1'), [high]],
  ['there is no session', () => load(low).then(() => (session = undefined)), [high]],
  ['nothing is asked for early', () => load(low).then(() => (strategy = { ...voxel, pipelineAt: undefined })), [high]],
  ['they are files of their own', () => load(low), [{ ...high, initialization: 'init.mp4' }]],
  ['they are whole files', () => load(low), [{ ...high, range: undefined }]],
])('leaves them to dash.js where %s', async (_, begin, wanted) => {
  for (const one of wanted) maps.set(one, { edition: 0 });
  await begin();
  loader.want(wanted);
  await waitForFetches();
  expect(fetchRange).not.toHaveBeenCalled();
});

it.each<[string, () => ReturnType<FetchRange>]>([
  ['fails', () => Promise.reject(new Error('no network'))],
  ['brings less', () => Promise.resolve({ range: { start: 0, end: 4 }, bytes: new Uint8Array(3), seconds: 0 })],
  ['brings a whole file', () => Promise.resolve({ range: { start: 0, end: 9 }, bytes: new Uint8Array(9), seconds: 0 })],
])('leaves one to dash.js whose fetch %s', async (_, answer) => {
  await load(low);
  fetchRange.mockImplementationOnce(answer);
  loader.want([high]);
  await waitForFetches();
  expect(receiver.addInitialization).toHaveBeenCalledOnce();
  expect(await load(high)).toBe('q01!');
  expect(parentLoad).toHaveBeenCalledTimes(2);
});

it('has a first segment say how long segments are where nothing before it has', () => {
  const place = { type: 'MediaSegment', mediaType: 'video', index: 0, startTime: 0, duration: 3.9, range: RANGE };
  const segment = { ...place, url: fileUrl(low), representation: { ...low, segmentDuration: NaN } };
  loader.followedBy(segment);
  expect(settings.apply).not.toHaveBeenCalled();
  loader.followedBy({ ...segment, representation: Object.assign(low, { segmentDuration: NaN }) });
  expect(settings.apply).toHaveBeenCalledExactlyOnceWith(3.9);
});
