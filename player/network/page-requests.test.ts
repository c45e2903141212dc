import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PageRequests } from './page-requests.js';

const fetched = vi.fn<typeof fetch>(() => Promise.resolve(new Response()));

beforeEach(() => {
  fetched.mockClear();
  vi.stubGlobal('fetch', fetched);
  vi.stubGlobal('location', { href: 'https://page.example/watch' });
});
afterEach(() => vi.unstubAllGlobals());

const media = {
  url: 'https://media.example/films/q00.mp4?token=a%2Fb&CMCD=br%3D1%2Csid%3D%221%22',
  headers: { authorization: 'Bearer 1', Range: 'bytes=0-9', 'CMCD-Session': 'sid="1"', 'cmcd-request': 'bl=1' },
  credentials: 'include',
} as const;

/** What its address says of the session. */
const SESSION = `&CMCD=${encodeURIComponent('sid="1"')}`;

/** What is sent for that URL. */
async function ask(page: PageRequests, url: string, headers: Record<string, string> = {}) {
  await page.fetch(url, { headers, cache: 'no-cache' });
  const [sent, init] = fetched.mock.lastCall as [string, RequestInit];
  return { url: sent, headers: Object.fromEntries(new Headers(init.headers)), credentials: init.credentials };
}

function knowing(...hosts: string[]): PageRequests {
  const page = new PageRequests(hosts);
  page.learn(media, 'media');
  return page;
}

test('an index is asked for with headers, cookies and parameters of the media beside it, and with the CMCD of the session', async () => {
  expect(await ask(knowing(), 'https://media.example/films/q00.vxi', { Range: 'bytes=0-99' })).toEqual({
    url: `https://media.example/films/q00.vxi?token=a%2Fb${SESSION}`,
    headers: { authorization: 'Bearer 1', 'cmcd-session': 'sid="1"', range: 'bytes=0-99' },
    credentials: 'include',
  });
});

test.each([
  ['https://other.example/films/q00.vxi'],
  ['https://sub.media.example/films/q00.vxi'],
  ['https://media.example.evil.example/films/q00.vxi'],
  ['https://media.example@evil.example/q00.vxi'],
  ['http://media.example/films/q00.vxi'],
  ['https://media.example:8443/films/q00.vxi'],
])('%s gets nothing of it', async (url) => {
  expect(await ask(knowing(), url)).toEqual({ url, headers: {}, credentials: undefined });
});

test('a host that the page names gets what media had, and never what the manifest had', async () => {
  const page = new PageRequests(['index.example']);
  page.learn({ url: 'https://page.example/a.mpd', headers: { 'x-manifest': '1' } }, 'manifest');
  const url = 'https://index.example/q00.vxi';
  expect(await ask(page, url)).toMatchObject({ url, headers: {} });
  page.learn(media, 'media');
  page.learn({ url: 'https://page.example/a.mpd', headers: { 'x-manifest': '1' } }, 'manifest');
  expect(await ask(page, url)).toMatchObject({
    url: `${url}?token=a%2Fb${SESSION}`,
    headers: { authorization: 'Bearer 1' },
  });
});

test('each origin gets its own, and the latest', async () => {
  const page = knowing();
  page.learn({ url: '/films/a.mpd?token=b', headers: { 'x-manifest': '1' }, credentials: 'omit' }, 'manifest');
  expect(await ask(page, 'https://page.example/.well-known/voxel.json')).toEqual({
    url: 'https://page.example/.well-known/voxel.json?token=b',
    headers: { 'x-manifest': '1' },
    credentials: 'same-origin',
  });
  page.learn({ url: 'https://media.example/q00.mp4' }, 'media');
  expect(await ask(page, 'https://media.example/q00.vxi')).toMatchObject({ headers: {}, credentials: 'same-origin' });
});

test.each([
  ['?token=own', '?token=own'],
  ['?rep=7', '?rep=7&token=a%2Fb'],
  ['?tokens=1', '?tokens=1&token=a%2Fb'],
  ['', '?token=a%2Fb'],
])('parameters of its own stay: %s', async (query, sent) => {
  expect((await ask(knowing(), `https://media.example/q00.vxi${query}`)).url).toBe(
    `https://media.example/q00.vxi${sent}${SESSION}`,
  );
});
