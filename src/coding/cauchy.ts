/**
 * Systematic Cauchy Reed–Solomon code over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11d). Data symbol i has
 * the coordinate y = i, parity symbol j x = 255 − j, and parity j is the sum of all data, each divided by x − y, byte by
 * byte. Coordinates depend on nothing else, so more parity can be made later. (J. Blömer et al., An XOR-based
 * erasure-resilient coding scheme, 1995.)
 */

/** Powers of 2, twice over so that sums of two logarithms need no division, and logarithms; that of 0 is 0, too. */
const powers = new Uint8Array(510);
const logarithms = new Uint8Array(256);
for (let exponent = 0, power = 1; exponent < 255; exponent++) {
  powers[exponent] = powers[exponent + 255] = power;
  logarithms[power] = exponent;
  power = (power << 1) ^ (power & 0x80 ? 0x11d : 0);
}

/** The products of a factor with all bytes, by the factor's logarithm. Made when first used. */
const products: Uint8Array[] = [];

function productsOf(logarithm: number): Uint8Array {
  return (products[logarithm] ??= powers.slice(logarithm, logarithm + 255).reduce((row, product, exponent) => {
    row[powers[exponent]!] = product;
    return row;
  }, new Uint8Array(256)));
}

/** Adds `source`, multiplied by the factor with this logarithm; the rest of a longer `target` stays as it is. */
function addProduct(target: Uint8Array, logarithm: number, source: Uint8Array): void {
  const row = productsOf(logarithm);
  for (let index = 0; index < source.length; index++) target[index] = target[index]! ^ row[source[index]!]!;
}

/** The logarithm of 1 / (x − y). */
function quotient(x: number, y: number): number {
  return (255 - logarithms[x ^ y]!) % 255;
}

/** Makes the parity of one block from its data, in any order. */
export class Encoder {
  /** The parity of the data added so far. */
  readonly parity: readonly Uint8Array[];

  /** `count` parity symbols of `symbolBytes` each. */
  constructor(count: number, symbolBytes: number) {
    this.parity = Array.from({ length: count }, () => new Uint8Array(symbolBytes));
  }

  /** Adds data symbol `index`, once; a shorter one counts as filled up with zeros. */
  add(index: number, symbol: Uint8Array): void {
    this.parity.forEach((parity, number) => addProduct(parity, quotient(255 - number, index), symbol));
  }
}

/**
 * The missing data symbols of a block, by their index; undefined when there are fewer parity symbols than that. `data`: undefined
 * where one is missing; those that are shorter than a parity symbol count as filled up with zeros. `parity`: by number.
 */
export function decode(
  data: readonly (Uint8Array | undefined)[],
  parity: ReadonlyMap<number, Uint8Array>,
): Map<number, Uint8Array<ArrayBuffer>> | undefined {
  const ys = [...data.keys()].filter((index) => !data[index]);
  if (parity.size < ys.length) return undefined;
  const used = [...parity].slice(0, ys.length);
  const xs = used.map(([number]) => 255 - number);
  // What the missing symbols alone contribute to each parity symbol.
  const sums = used.map(([, symbol], row) => {
    const sum = symbol.slice();
    data.forEach((known, y) => known && addProduct(sum, quotient(xs[row]!, y), known));
    return sum;
  });
  const missing = ys.map((y): [number, Uint8Array<ArrayBuffer>] => {
    const symbol = new Uint8Array(sums[0]!.length);
    sums.forEach((sum, row) => addProduct(symbol, inverse(xs[row]!, y, xs, ys), sum));
    return [y, symbol];
  });
  return new Map(missing);
}

/** Logarithm of the element of the inverse matrix of all 1 / (x − y) that takes the sum of parity `x` to the data symbol `y`. */
function inverse(x: number, y: number, xs: readonly number[], ys: readonly number[]): number {
  const logarithm = product(x, ys) - product(x, xs) + product(y, xs) - product(y, ys) - logarithms[x ^ y]!;
  return ((logarithm % 255) + 255) % 255;
}

/** Logarithm of the product of all differences that are not 0. */
function product(from: number, coordinates: readonly number[]): number {
  return coordinates.reduce((sum, coordinate) => sum + logarithms[from ^ coordinate]!, 0);
}
