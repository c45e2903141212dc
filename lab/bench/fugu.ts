import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { trainedNetwork } from './fugu/training.js';
import { recordedDownloads } from './fugu/downloads.js';
import { fuguNetwork } from '../rivals/fugu-network.js';
import type { Network } from '../rivals/transmission-time.js';
import { crossEntropy } from './fugu/training.js';

export const usage = `npm run bench -- fugu [--write]: trains the network of the Fugu-like rule on the downloads of simulated sessions over the
development traces; seconds. Prints how well it foretells them, beside the one in use. --write: puts it in its place.`;

export const options = { write: { type: 'boolean', default: false } } as const;

const FILE = join(root, 'src', 'abr-star', 'rivals', 'fugu-network.ts');

export function main({ write }: { write: boolean }): void {
  const downloads = recordedDownloads();
  const network = trainedNetwork(downloads);
  console.log(
    `${downloads.length} downloads, cross entropy in nats: trained ${crossEntropy(network, downloads).toFixed(3)}, in use ${crossEntropy(fuguNetwork, downloads).toFixed(3)}`,
  );
  if (!write) return;
  writeFileSync(FILE, sourceOf(network));
  say(`wrote ${FILE}`);
}

function sourceOf({ hidden, output }: Network): string {
  const layer = (rows: Network['hidden']) =>
    rows.map((weights) => `'${weights.map((weight) => Math.round(100 * weight)).join(' ')}',\n`).join('    ');
  return `import type { Layer, Network } from './transmission-time.js';

/** Trained on the development traces by \`npm run bench -- fugu --write\`: a unit a line, in hundredths. */
export const fuguNetwork: Network = {
  hidden: layer([
    ${layer(hidden)}  ]),
  output: layer([
    ${layer(output)}  ]),
};

function layer(units: readonly string[]): Layer {
  return units.map((unit) => unit.split(' ').map((weight) => Number(weight) / 100));
}
`;
}
