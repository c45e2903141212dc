import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../setup/paths.mjs';
import { CONVERSIONS } from './conversions.mjs';
import { obtain, type DataSet } from './obtain.mjs';

const { sets } = JSON.parse(readFileSync(join(import.meta.dirname, 'manifest.json'), 'utf8')) as { sets: DataSet[] };

const scratch = mkdtempSync(join(tmpdir(), 'voxel-data-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

const SUM = '1 932575\n2 1387075\n';
const TABLE = 'second,mbps\n0,7.460600\n1,11.096600\n';
const SET: DataSet = { folder: 'traces', about: '', licence: '', home: '', files: [] };
const file = (address: string) => ({
  name: 'link.csv',
  sha256: digest(TABLE),
  original: { address, sha256: digest(SUM), conversion: 'bytes-per-second' as const },
});

/** Loss 0, .25, 1 and 0, round trips of none, 26.1 ms, none and 30 ms, beside a column that is not wanted; columns compressed by gzip. */
const PINGS = Buffer.from(
  [
    'UEFSMRUAFUwVSCwVCBUAFQYVBhwAAAAfiwgAAAAAAAIDY2JgYOBgZEABF+wh9Ad7mAgABaj5tSYAAAAVABUsFUosFQgVABUGFQYcAAAAH4sIAAAAAAACA2Ni',
    'YGBg5po1EwgkrRwYwMDOAQC1x9UGFgAAABUAFTQVSiwVCBUAFQYVBhwAAAAfiwgAAAAAAAIDY2JgYOBgZASSiSAiCUQkg4gUALkZL8kaAAAAFQQZTDUAGAZz',
    'Y2hlbWEVBgAVCiUCGB5kaXNoX3N0YXR1cy5wb3BfcGluZ19kcm9wX3JhdGUAFQolAhgfZGlzaF9zdGF0dXMucG9wX3BpbmdfbGF0ZW5jeV9tcwAVDCUCGAVv',
    'dGhlciUATBwAAAAWCBkcGTwmABwVChklBgAZGB5kaXNoX3N0YXR1cy5wb3BfcGluZ19kcm9wX3JhdGUVBBYIFnIWbiYISRwVABUAFQIAPCkGGSYACAAAACYA',
    'HBUKGSUGABkYH2Rpc2hfc3RhdHVzLnBvcF9waW5nX2xhdGVuY3lfbXMVBBYIFlIWcCZ2SRwVABUAFQIAPCkGGSYEBAAAACYAHBUMGSUGABkYBW90aGVyFQQW',
    'CBZaFnAm5gFJHBUAFQAVAgA8FggZBhkmAAgAAAAWngIWCCYIFs4CACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZPBwAABwAABwAAABtAQAA',
    'UEFSMQ==',
  ].join(''),
  'base64',
);

function folderWith(name: string, text: string): string {
  const folder = mkdtempSync(join(scratch, 'from-'));
  mkdirSync(join(folder, 'traces/orig'), { recursive: true });
  writeFileSync(join(folder, 'traces', name), text);
  return folder;
}

const target = () => mkdtempSync(join(scratch, 'to-'));

describe('conversions', () => {
  const made = async (conversion: keyof typeof CONVERSIONS, text: string, name = 'x') =>
    String(await CONVERSIONS[conversion](Buffer.from(text), name));

  it('make tables of rates, of a second or half of one', async () => {
    expect(await made('rates', '0.0\t20.8\n1.0\t4.88\n')).toBe('second,mbps\n0,20.800000\n1,4.880000\n');
    const log = 'time,throughput_mbps,retrans\n2024-05-27T10:54:55.8,16.7749,0\n2024-05-27T10:54:56.3,61.8714,0\n';
    expect(await made('throughput-log', log)).toBe('second,mbps\n0,16.774900\n0.5,61.871400\n');
  });

  it('find the pings without an answer, of one sender, and go on from run to run', async () => {
    const start = Date.UTC(2024, 4, 27);
    const line = (ms: number, roundTrip: number, sender = 'a') =>
      `${new Date(start + ms + roundTrip).toISOString()},${roundTrip},${sender}`;
    // Two and a half seconds with a gap of two pings and late answers, then a second ten minutes later.
    const first = [0, 200, 400, 600, 800, 1003, 1604, 1800, 2002, 2200].map((ms) => line(ms, ms < 1000 ? 40 : 60));
    const second = [600_000, 600_200, 600_400, 600_600, 600_800].map((ms) => line(ms, 100));
    const lines = ['time,rtt_ms,operator', ...second, line(100, 9, 'b'), ...first];
    expect(await made('ping-log', `${lines.join('\n')}\n`, 'a')).toBe(
      'second,delay_ms,loss_percent\n0,20.00,0.00\n1,30.00,40.00\n2,50.00,0.00\n',
    );
  });
});

describe('obtain', () => {
  it.each([
    ['link.csv', TABLE],
    ['link.sum', SUM],
    ['orig/link.sum', SUM],
  ])('makes the file of a copy at hand: %s', async (name, text) => {
    const folders = { from: folderWith(name, text), to: target() };
    expect(await obtain(SET, file('http://nowhere.invalid/link.sum'), folders)).toBe('copied');
    expect(readFileSync(join(folders.to, 'traces/link.csv'), 'utf8')).toBe(TABLE);
    expect(await obtain(SET, file('http://nowhere.invalid/link.sum'), folders)).toBe('there');
  });

  it('brings the original from its address', async () => {
    const server = createServer((_, response) => response.end(SUM)).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/link.sum`;
    const to = target();
    try {
      expect(await obtain(SET, file(address), { from: undefined, to })).toBe('brought');
    } finally {
      server.close();
    }
    expect(readFileSync(join(to, 'traces/link.csv'), 'utf8')).toBe(TABLE);
  });

  it('takes no file that is another, and leaves none behind', async () => {
    const to = target();
    const changed = (name: string) => obtain(SET, file('http://x/link.sum'), { from: folderWith(name, 'x 1\n'), to });
    await expect(changed('link.csv')).rejects.toThrow(/link\.csv: expected SHA-256 \w{64}, found \w{64}$/);
    await expect(changed('link.sum')).rejects.toThrow(/link\.sum: expected SHA-256/);
    expect(readdirSync(to)).toEqual([]);
  });

  it("makes a table of a terminal's pings", async () => {
    const table = 'second,delay_ms,loss_percent\n0,13.05,0.00\n1,13.05,25.00\n2,13.05,100.00\n3,15.00,0.00\n';
    const folder = mkdtempSync(join(scratch, 'pings-'));
    mkdirSync(join(folder, 'traces'));
    writeFileSync(join(folder, 'traces/pings.parquet.gzip'), PINGS);
    const original = {
      address: 'http://nowhere.invalid/pings.parquet.gzip',
      sha256: createHash('sha256').update(PINGS).digest('hex'),
      conversion: 'terminal-pings' as const,
    };
    const to = target();
    expect(await obtain(SET, { name: 'pings.csv', sha256: digest(table), original }, { from: folder, to })).toBe(
      'copied',
    );
    expect(readFileSync(join(to, 'traces/pings.csv'), 'utf8')).toBe(table);
  });

  it('says what has no address', async () => {
    const { name, sha256 } = file('');
    expect(await obtain(SET, { name, sha256 }, { from: undefined, to: target() })).toBe('missing');
  });
});

describe('the manifest', () => {
  const known = new Set(sets.flatMap(({ folder, files }) => files.map(({ name }) => `${folder}/${name}`)));
  const SHARED = join(root, '../shared/data');

  it('has everything that configurations name', () => {
    const folder = join(root, 'lab/trials/configs');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const named = texts.flatMap((text) => [...text.matchAll(/shared\/data\/([^"]+?)\/?"/g)].map(([, path]) => path!));
    const folders = new Set(sets.map((set) => set.folder));
    expect(named.length).toBeGreaterThan(20);
    expect([...new Set(named)].filter((path) => !known.has(path) && !folders.has(path))).toEqual([]);
  });

  it('pins every address to a commit', () => {
    const addresses = sets.flatMap(({ files }) => files.flatMap(({ original }) => original?.address ?? []));
    for (const address of addresses) expect(address).toMatch(/^https:\/\/.*\/[0-9a-f]{40}\//);
  });

  it('is what ../shared/data holds, and its conversions give the same bytes', async (context) => {
    if (!existsSync(SHARED)) context.skip('no ../shared/data');
    const [copied, made] = [target(), target()];
    // What has been added since the folder was filled is not there: a run of `npm run data` brings it.
    const isThere = (set: DataSet) => existsSync(join(SHARED, set.folder, set.files[0]!.name));
    expect(sets.filter(isThere).length).toBeGreaterThan(3);
    for (const set of sets.filter(isThere)) {
      for (const one of set.files) {
        expect(await obtain(set, one, { from: SHARED, to: SHARED })).toBe('there');
        const orig = one.original?.conversion && join(SHARED, set.folder, 'orig');
        if (orig === undefined || !existsSync(orig)) continue;
        // Without the converted file, its original has to do.
        const flat = { ...set, folder: '.' };
        expect(await obtain(flat, one, { from: orig, to: made })).toBe('copied');
        expect(await obtain(set, one, { from: SHARED, to: copied })).toBe('copied');
      }
    }
  });
});
