import { join } from 'node:path';
import { Encoder } from '../../src/coding/cauchy.js';
import type { Parity } from '../../src/coding/symbols.js';
import { AssemblyPart } from '../../src/voxel-loader/worker/assembly-part.js';
import { SegmentAssembly } from '../../src/voxel-loader/worker/assembly.js';
import { ParityBlocks } from '../../src/voxel-loader/worker/parity-blocks.js';
import { outputOf, say } from '../../tools/setup/process.mjs';
import { cargo, cargoEnvironment, hasCargo, noRust } from '../../tools/setup/rust.mjs';
import { datagramsOf, type FlowDatagram } from '../../test/unit/parity-flow.js';
import { atLeast, barLine, type Bar } from '../sim/report/bar.js';

export const usage = `npm run bench -- coding [--json]: how fast the player's worker takes datagrams and fills what is lost of them from parity (128 symbols
of 1150 bytes a block, 0, 4 and 16 of them lost), and how fast voxel-quiche makes parity, where Rust is installed. Mbit/s of video on
one core, the fastest of several runs. --json: one object on standard output. Exit code 1 where a bar is missed.`;

export const options = { json: { type: 'boolean', default: false } } as const;

const PARITY: Parity = { amounts: [16], block: 128, symbol: 1150 };
const BLOCKS = 8;
const BYTES = BLOCKS * 128 * 1150;
/** Data symbols of each block that are lost. */
const LOST = [0, 4, 16];
/** The fastest counts. */
const RUNS = 15;

/** Mbit/s: the worker with 16 symbols lost, the server with 12 parity symbols a block. */
const LEAST_DECODED = 100;
const LEAST_ENCODED = 1000;

export async function main({ json }: { json: boolean }): Promise<Bar[]> {
  const body = Uint8Array.from({ length: BYTES }, (_, at) => (Math.imul(at + 1, 0x9e3779b1) >>> 23) & 255);
  const flow = datagramsOf(body, [BYTES], PARITY);
  const decode = Object.fromEntries(LOST.map((lost) => [lost, fastest(() => receive(body, flow, lost))]));
  const encodeTypeScript = fastest(() => encode(body));
  const encodeRust = await rustRates();
  const bars = [
    atLeast('worker, 16 of 128 symbols lost: Mbit/s', decode[16]!, LEAST_DECODED),
    ...(encodeRust ? [atLeast('Rust, 12 parity symbols for 128: Mbit/s', encodeRust[12]!, LEAST_ENCODED)] : []),
  ];
  if (json) console.log(JSON.stringify({ decode, encodeTypeScript, encodeRust, bars }));
  else {
    for (const [lost, rate] of Object.entries(decode)) {
      console.log(`worker, ${lost} of 128 symbols lost: ${rate.toFixed(0)} Mbit/s`);
    }
    console.log(`TypeScript (tests only), 16 parity symbols for 128: ${encodeTypeScript.toFixed(0)} Mbit/s`);
    for (const [count, rate] of Object.entries(encodeRust ?? {})) {
      console.log(`Rust, ${count} parity symbols for 128: ${rate} Mbit/s`);
    }
    console.log(`\n${bars.map(barLine).join('\n')}`);
  }
  return bars;
}

/** Mbit/s of the body in processor time: other programs use the machine, too. */
function fastest(work: () => void): number {
  let least = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return (BYTES * 8) / 1000 / least;
}

/** What the worker does with the datagrams of a response; throws unless the segment is right afterwards. */
function receive(body: Uint8Array, flow: readonly FlowDatagram[], lost: number): void {
  const range = { start: 0, end: BYTES };
  const assembly = new SegmentAssembly({ range, reliable: [], unreliable: [range], reliableBytes: 0 }, BYTES);
  const part = new AssemblyPart(assembly, [range]);
  const blocks = new ParityBlocks(part, PARITY);
  for (const { offset, payload, isParity } of flow) {
    // Scattered, as many in each block.
    if (!isParity && ((offset / 1150) * 37) % 128 < lost) continue;
    blocks.placeInOrder(offset, payload.length);
    if (!isParity) part.place(offset, payload);
    for (const [at, bytes] of blocks.fill(offset, payload)) part.place(at, bytes);
  }
  if (Buffer.compare(assembly.bytes, body) !== 0) throw new Error('the segment is not what was sent');
}

function encode(body: Uint8Array): void {
  for (let start = 0; start < BYTES; start += 128 * 1150) {
    const encoder = new Encoder(16, 1150);
    for (let index = 0; index < 128; index++) {
      encoder.add(index, body.subarray(start + index * 1150, start + (index + 1) * 1150));
    }
  }
}

/** Mbit/s by the number of parity symbols for 128 data symbols; undefined without Rust. */
async function rustRates(): Promise<Record<string, number> | undefined> {
  if (!hasCargo('server/quiche')) {
    say(`no figures for voxel-quiche: ${noRust('server/quiche')}`);
    return undefined;
  }
  const build = ['build', '--release', '--locked', '--quiet', '--package', 'voxel-protocol', '--example', 'encode'];
  await cargo('server/quiche', build, { output: 'on-failure' });
  const program = join(cargoEnvironment.CARGO_TARGET_DIR, 'release/examples/encode');
  return JSON.parse(outputOf(program, []) ?? 'null') as Record<string, number>;
}
