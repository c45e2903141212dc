import { UserError } from '../../tools/setup/process.mjs';

/** Both allowed. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** The number that an option gives. Throws a `UserError` that names the option. */
export function numberOf(name: string, text: string, bounds: Bounds): number {
  return within(bounds, text) ?? refuse(name, text, 'from', bounds);
}

export function integerOf(name: string, text: string, bounds: Bounds): number {
  const value = within(bounds, text);
  return value !== undefined && Number.isInteger(value) ? value : refuse(name, text, 'a whole number from', bounds);
}

function within({ low, high }: Bounds, text: string): number | undefined {
  const value = Number(text);
  return text.trim() !== '' && value >= low && value <= high ? value : undefined;
}

function refuse(name: string, text: string, what: string, { low, high }: Bounds): never {
  throw new UserError(`--${name} must be ${what} ${low} to ${high}, got '${text}'`);
}
