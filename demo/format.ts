/** What stands where a value is not known. */
export const unknown = '–';

/** Bytes with three significant digits: `980 B`, `41.2 kB`, `1.24 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${threeDigits(bytes / 1e3)} kB` : `${threeDigits(bytes / 1e6)} MB`;
}

/** Bit/s as `1.24 Mbit/s`. */
export function formatBitrate(bitsPerSecond: number): string {
  return `${threeDigits(bitsPerSecond / 1e6)} Mbit/s`;
}

/** Seconds with one decimal: `4.0 s`. */
export function formatSeconds(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}

/** A score (SSIM) with three decimals, cut off: only a flawless segment reads 1.000. */
export function formatScore(score: number | undefined): string {
  return score === undefined ? unknown : (Math.floor(score * 1000 + 1e-6) / 1000).toFixed(3);
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}
