import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decode, Encoder } from '../../src/coding/cauchy.js';
import { blocksOf, type Block, type Parity } from '../../src/coding/symbols.js';
import { formatParity } from '../../src/voxel-loader/worker/structured-field.js';
import { layout, parityOf } from './coding-reference.js';

const path = new URL('../vectors/coding.json', import.meta.url);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const unhex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

/** Bytes that look like chance and are the same everywhere. */
function scatter(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (Math.imul((at + 1 + 1000 * seed) ** 2, 0x9e3779b1) >>> 19) & 255);
}

/** Data of `lengths` bytes; shorter than the longest means filled up with zeros. */
const codes: readonly [name: string, lengths: readonly number[], parity: number][] = [
  ['one symbol', [4], 2],
  ['two symbols', [3, 3], 2],
  ['the last symbol shorter', [8, 8, 8, 5], 3],
  ['empty symbols at the end', [6, 6, 4, 0, 0, 0], 3],
  ['a frame of ClipStreamFEC', Array.from({ length: 18 }, () => 5), 6],
  ['16 of 128', Array.from({ length: 128 }, () => 3), 16],
  ['as large as can be', Array.from({ length: 192 }, () => 2), 64],
];

const layouts: readonly (readonly [ranges: readonly number[], header: string, parity: Parity])[] = [
  [[300], '(2);block=3;symbol=64', { amounts: [2], block: 3, symbol: 64 }],
  [[100, 50, 42], '(2 1);block=2;symbol=64', { amounts: [2, 1], block: 2, symbol: 64 }],
  [[1000], '(3 0 1);block=4;symbol=100', { amounts: [3, 0, 1], block: 4, symbol: 100 }],
  [[63], '(1);block=1;symbol=64', { amounts: [1], block: 1, symbol: 64 }],
  [[400000], '(12 6 3 1);block=128;symbol=1150', { amounts: [12, 6, 3, 1], block: 128, symbol: 1150 }],
  [[147200, 147200], '(0 16);block=128;symbol=1150', { amounts: [0, 16], block: 128, symbol: 1150 }],
  [[5000, 17, 18, 1], '(6);block=18;always', { amounts: [6], block: 18, always: true }],
  [[40, 30, 20, 10], '(2 0 1);block=4', { amounts: [2, 0, 1], block: 4 }],
];

const valid: readonly (readonly [header: string, parity: Parity, echo?: string])[] = [
  ['(12 6 3 1);block=128;symbol=1150', { amounts: [12, 6, 3, 1], block: 128, symbol: 1150 }],
  ['(6);block=18;always', { amounts: [6], block: 18, always: true }],
  ['(0);block=1;symbol=64', { amounts: [0], block: 1, symbol: 64 }],
  ['(64);block=192;symbol=1400;always', { amounts: [64], block: 192, symbol: 1400, always: true }],
  [
    `(${Array.from({ length: 64 }, (_, index) => index).join(' ')});block=10`,
    { amounts: [...Array(64).keys()], block: 10 },
  ],
  ['(1 2);symbol=100;block=3', { amounts: [1, 2], block: 3, symbol: 100 }, '(1 2);block=3;symbol=100'],
  ['( 1  2 );block=3', { amounts: [1, 2], block: 3 }, '(1 2);block=3'],
  ['(1);block=3;later=?1', { amounts: [1], block: 3 }, '(1);block=3'],
  ['(1);block=3;always=?0', { amounts: [1], block: 3 }, '(1);block=3'],
  ['(1);block=3;always=?1', { amounts: [1], block: 3, always: true }, '(1);block=3;always'],
];

const invalid = [
  '',
  '6;block=18',
  '();block=18',
  '(6)',
  '(6);symbol=64',
  '(65);block=18',
  '(-1);block=18',
  '(1.5);block=18',
  '(six);block=18',
  '("6");block=18',
  '(6,6);block=18',
  '(6);block=0',
  '(6);block=193',
  '(6);block=?1',
  '(6);block',
  '(6);block=18;symbol=63',
  '(6);block=18;symbol=1401',
  '(6);block=18;symbol="64"',
  '(6);block=18;always=1',
  '(6;block=18',
  '6);block=18',
  '(6);block=18, (6);block=18',
  `(${Array.from({ length: 65 }, () => 1).join(' ')});block=10`,
];

const seeded = (lengths: readonly number[]) => lengths.map((length, index) => scatter(length, index));

/** One entry a line. */
function write(sections: Readonly<Record<string, readonly object[]>>): string {
  const texts = Object.entries(sections).map(
    ([name, entries]) => `${JSON.stringify(name)}: [\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`,
  );
  return `{\n${texts.join(',\n')}\n}\n`;
}

describe('the vectors of parity', () => {
  it('are what the definition gives', async () => {
    const expected = write({
      codes: codes.map(([name, lengths, parity]) => {
        const data = seeded(lengths);
        return { name, data: data.map(hex), parity: parityOf(data, parity, Math.max(...lengths)).map(hex) };
      }),
      layouts: layouts.map(([ranges, header, parity]) => ({ ranges, header, blocks: layout(ranges, parity) })),
      headers: [
        ...valid.map(([header, { amounts, block, symbol, always }, echo]) => ({
          header,
          parsed: { amounts, block, symbol: symbol ?? null, always: always ?? false },
          echo: echo ?? header,
        })),
        ...invalid.map((header) => ({ header, parsed: null })),
      ],
    });
    // `npx vitest run --project unit test/unit/coding-vectors.test.ts -u` writes them.
    await expect(expected).toMatchFileSnapshot(path.pathname);
  });

  const vectors = JSON.parse(readFileSync(path, 'utf8')) as {
    codes: { name: string; data: string[]; parity: string[] }[];
    layouts: { ranges: number[]; header: string; blocks: Block[] }[];
  };

  it.each(vectors.codes)('code: $name', ({ data, parity }) => {
    const symbols = data.map(unhex);
    const encoder = new Encoder(parity.length, parity[0]!.length / 2);
    symbols.forEach((symbol, index) => encoder.add(index, symbol));
    expect(encoder.parity.map(hex)).toEqual(parity);
    const lost = new Set([...symbols.keys()].filter((index) => index % 3 === 0).slice(0, parity.length));
    const came = new Map(parity.map((symbol, number) => [number, unhex(symbol)] as const));
    const filled = decode(
      symbols.map((symbol, index) => (lost.has(index) ? undefined : symbol)),
      came,
    );
    for (const index of lost) expect(hex(filled!.get(index)!)).toBe(data[index]!.padEnd(parity[0]!.length, '0'));
  });

  it.each(layouts)('layout: %j, %s', (ranges, header, parity) => {
    const vector = vectors.layouts.find((one) => one.header === header && one.ranges.join() === ranges.join());
    expect(blocksOf(ranges, parity)).toEqual(vector!.blocks);
  });

  it.each(valid.map(([header, parity, echo = header]) => ({ header, parity, echo })))(
    'header: $header',
    ({ parity, echo }) => {
      expect(formatParity(parity)).toBe(echo);
    },
  );
});
