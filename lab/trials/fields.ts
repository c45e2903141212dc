import { UserError } from '../../tools/setup/process.mjs';

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** A JSON object of a configuration. Whatever is wrong with it is a `UserError` that names the file and the field. */
export class Fields {
  readonly #where: string;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

  private constructor(where: string, values: object) {
    this.#where = where;
    this.#values = values as Record<string, unknown>;
  }

  static parse(text: string, path: string): Fields {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new UserError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (!isObject(value)) throw new UserError(`${path}: expected a JSON object, got ${shown(value)}`);
    return new Fields(path, value);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.#fail(name, 'a string');
  }

  optionalText(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    return this.#fail(name, 'a string');
  }

  optionalChoice<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const text = this.optionalText(name);
    if (text === undefined) return undefined;
    return values.find((value) => value === text) ?? this.#fail(name, `one of ${values.join(', ')}`);
  }

  optionalNumber(name: string, { low, high }: Bounds): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= low && value <= high) return value;
    return this.#fail(name, `a number from ${low} to ${high}`);
  }

  number(name: string, bounds: Bounds): number {
    return this.optionalNumber(name, bounds) ?? this.#fail(name, `a number from ${bounds.low} to ${bounds.high}`);
  }

  integer(name: string, { absent, ...bounds }: Bounds & { readonly absent: number }): number {
    const value = this.optionalNumber(name, bounds) ?? absent;
    return Number.isInteger(value) ? value : this.#fail(name, 'a whole number');
  }

  texts(name: string): string[] {
    const value = this.#value(name);
    if (isListOfUnique(value) && value.every((item) => typeof item === 'string')) return value;
    return this.#fail(name, 'a list of strings, none twice');
  }

  choices<Value extends string>(name: string, values: readonly Value[], absent: readonly Value[]): readonly Value[] {
    const list = this.#value(name);
    if (list === undefined) return absent;
    if (isListOfUnique(list) && list.every((item) => values.includes(item as Value))) return list as Value[];
    return this.#fail(name, `a list of ${values.join(', ')}, none twice`);
  }

  integers(name: string, { low, high }: Bounds): number[] {
    const value = this.#value(name);
    const isValid = (item: unknown) => Number.isInteger(item) && Number(item) >= low && Number(item) <= high;
    if (isListOfUnique(value) && value.every(isValid)) return value as number[];
    return this.#fail(name, `a list of whole numbers from ${low} to ${high}, none twice`);
  }

  /** Texts and objects. */
  list(name: string, absent?: readonly (string | object)[]): (string | Fields)[] {
    const value = this.#value(name) ?? absent;
    if (!Array.isArray(value) || value.length === 0) return this.#fail(name, 'a list with at least one entry');
    return value.map(
      (item: unknown, index) =>
        this.#item(item, `${name}[${index}]`) ?? this.#fail(name, 'a list of strings and objects'),
    );
  }

  optionalTextOrObject(name: string): string | Fields | undefined {
    const value = this.#value(name);
    return value === undefined ? undefined : (this.#item(value, name) ?? this.#fail(name, 'a string or an object'));
  }

  object(name: string, absent: object): Fields {
    return new Fields(`${this.#where}: ${name}`, this.optionalJson(name) ?? absent);
  }

  optionalJson(name: string): object | undefined {
    const value = this.#value(name);
    return value === undefined || isObject(value) ? value : this.#fail(name, 'an object');
  }

  /** To be called when all has been read: a field that nobody asked for is a mistake. */
  end(): void {
    const unknown = Object.keys(this.#values).find((name) => !this.#read.has(name));
    if (unknown !== undefined) throw new UserError(`${this.#where}: unknown field '${unknown}'`);
  }

  #item(value: unknown, place: string): string | Fields | undefined {
    if (typeof value === 'string') return value;
    return isObject(value) ? new Fields(`${this.#where}: ${place}`, value) : undefined;
  }

  #value(name: string): unknown {
    this.#read.add(name);
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  #fail(name: string, expected: string): never {
    const value = this.#value(name);
    if (value === undefined) throw new UserError(`${this.#where}: ${name} is required: ${expected}`);
    throw new UserError(`${this.#where}: ${name} must be ${expected}, got ${shown(value)}`);
  }
}

/** For a message: a long value without its middle. */
function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function isListOfUnique(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && new Set(value).size === value.length;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
