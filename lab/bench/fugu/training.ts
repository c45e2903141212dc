import { chances, hiddenUnits, TIME_RATIOS, type Network } from '../../rivals/transmission-time.js';
import { seededRandom, type Random } from '../../sim/random.js';
import type { Download } from './downloads.js';

const HIDDEN_UNITS = 12;
const EPOCHS = 30;
/** Length of a step against the gradient; it falls to a tenth of that. */
const RATE = 0.03;

/** A network trained by stochastic gradient descent on the cross entropy. The same downloads give the same network. */
export function trainedNetwork(downloads: readonly Download[]): Network {
  const random = seededRandom(1);
  const inputs = downloads[0]!.inputs.length;
  const hidden = layer(HIDDEN_UNITS, inputs, random);
  const output = layer(TIME_RATIOS.length, HIDDEN_UNITS, random);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = RATE * 0.1 ** (epoch / (EPOCHS - 1));
    for (const download of shuffled(downloads, random)) learn({ hidden, output }, download, rate);
  }
  return { hidden, output };
}

/** Mean of −ln of the chance that was given to what came, in nats. */
export function crossEntropy(network: Network, downloads: readonly Download[]): number {
  const surprises = downloads.map(
    ({ inputs, ratio }) => -Math.log(chances(network, hiddenUnits(network, inputs))[ratio]!),
  );
  return surprises.reduce((sum, surprise) => sum + surprise, 0) / surprises.length;
}

type Weights = number[][];

function learn(
  { hidden, output }: { hidden: Weights; output: Weights },
  { inputs, ratio }: Download,
  rate: number,
): void {
  const units = hiddenUnits({ hidden, output }, inputs);
  const errors = chances({ hidden, output }, units).map((chance, index) => chance - (index === ratio ? 1 : 0));
  const unitErrors = units.map(
    (unit, index) => (1 - unit ** 2) * errors.reduce((sum, error, row) => sum + error * output[row]![index]!, 0),
  );
  descend(output, errors, units, rate);
  descend(hidden, unitErrors, inputs, rate);
}

function descend(weights: Weights, errors: readonly number[], inputs: readonly number[], rate: number): void {
  for (const [row, error] of errors.entries()) {
    const own = weights[row]!;
    for (let index = 0; index < inputs.length; index++) own[index]! -= rate * error * inputs[index]!;
    own[inputs.length]! -= rate * error;
  }
}

function layer(units: number, inputs: number, random: Random): Weights {
  return Array.from({ length: units }, () =>
    Array.from({ length: inputs + 1 }, (_, index) => (index < inputs ? random.normal() / Math.sqrt(inputs) : 0)),
  );
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const all = [...items];
  for (let last = all.length - 1; last > 0; last--) {
    const other = Math.floor(random.uniform() * (last + 1));
    [all[last], all[other]] = [all[other]!, all[last]!];
  }
  return all;
}
