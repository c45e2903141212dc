import { UserError } from '../../tools/setup/process.mjs';

/** Both allowed. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** The number that an option gives. Throws a `UserError` that names the option. */
export function numberOf(name: string, text: string, { low, high }: Bounds): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high)) {
    throw new UserError(`--${name} must be from ${low} to ${high}, got '${text}'`);
  }
  return value;
}

export function integerOf(name: string, text: string, bounds: Bounds): number {
  const value = numberOf(name, text, bounds);
  if (!Number.isInteger(value)) throw new UserError(`--${name} must be a whole number, got '${text}'`);
  return value;
}
