/** How much differences are enlarged, so that they are seen at all. */
export const GAIN = 4;

/** The difference of two pictures in RGBA, of the same size: grey where they are alike. */
export function difference(a: Uint8ClampedArray, b: Uint8ClampedArray): Uint8ClampedArray<ArrayBuffer> {
  const result = new Uint8ClampedArray(a.length);
  for (let at = 0; at < a.length; at++) {
    result[at] = at % 4 === 3 ? 255 : 128 + GAIN * (a[at]! - b[at]!);
  }
  return result;
}
