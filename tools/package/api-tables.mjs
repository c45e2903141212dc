// @ts-check
// The tables of docs/EMBEDDING.md that say what the types say: options, events, statistics. `npm run package -- -u` writes them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format } from 'prettier';
import { root } from '../setup/paths.mjs';

const require = createRequire(import.meta.url);
/** @type {typeof import('typescript')} */
const ts = require('typescript');

const TYPES = 'player/api/types.ts';
const LIVE = 'player/live/attach-live.ts';
const LAB = 'lab/attach-lab.ts';
const HLS = 'player/hls/options.ts';

/** Names of rules, strategies and the like that a table has at most. */
const MOST_NAMES = 5;

/** A property as a table has it. @typedef {{ name: string, type: string, what: string, symbol: import('typescript').Symbol }} Row */

/** Reads types of this checkout. */
class TypeReader {
  #program = ts.createProgram(
    [TYPES, LIVE, LAB, HLS].map((file) => join(root, file)),
    { strict: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [] },
  );
  #checker = this.#program.getTypeChecker();

  /** A type that the file exports. @param {string} file @param {string} name */
  exported(file, name) {
    const source = /** @type {import('typescript').SourceFile} */ (this.#program.getSourceFile(join(root, file)));
    const module = /** @type {import('typescript').Symbol} */ (this.#checker.getSymbolAtLocation(source));
    const symbol = this.#checker.getExportsOfModule(module).find((one) => one.name === name);
    if (!symbol) throw new Error(`${file} exports no ${name}`);
    return this.#checker.getDeclaredTypeOfSymbol(symbol);
  }

  /** Properties of all members, where the type is a union. @param {import('typescript').Type} type @returns {Row[]} */
  rows(type) {
    /** @type {Map<string, Row>} */
    const rows = new Map();
    for (const member of type.isUnion() ? type.types : [type]) {
      for (const symbol of this.#checker.getPropertiesOfType(member)) {
        const { name } = symbol;
        const before = rows.get(name);
        const row = { name, type: this.#text(this.typeOf(symbol)), what: this.#comment(symbol), symbol };
        const types = [...new Set([before?.type, row.type].filter(Boolean))];
        rows.set(name, { ...row, type: types.join(' | '), what: before?.what || row.what });
      }
    }
    return [...rows.values()];
  }

  /** Rows of a type of `types.ts` and, after them, what another one that extends it adds. @param {string} base @param {string} extended */
  extendedRows(base, extended) {
    const rows = this.rows(this.exported(TYPES, base));
    const isNew = (/** @type {Row} */ { name }) => !rows.some((one) => one.name === name);
    return [...rows, ...this.rows(this.exported(TYPES, extended)).filter(isNew)];
  }

  /** What is said above the type. @param {import('typescript').Type} type */
  about(type) {
    const symbol = type.aliasSymbol ?? type.getSymbol();
    return symbol ? this.#comment(symbol) : '';
  }

  /** Without `undefined`, which optional properties have. @param {import('typescript').Symbol} symbol */
  typeOf(symbol) {
    return this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(symbol));
  }

  /** Names that are written out stand first; of many some. @param {import('typescript').Type} type @returns {string} */
  #text(type) {
    const { NoTruncation, UseSingleQuotesForStringLiteralType } = ts.TypeFormatFlags;
    const plain = (/** @type {import('typescript').Type} */ one) =>
      this.#checker.typeToString(one, undefined, NoTruncation | UseSingleQuotesForStringLiteralType);
    const members = type.isUnion() ? type.types : [];
    const literals = members.filter((one) => one.isStringLiteral());
    // An error's code is one of a page of its own.
    if (literals.length === 0 || type.aliasSymbol?.name === 'ErrorCode') return plain(type).replaceAll('readonly ', '');
    const shown =
      literals.length > MOST_NAMES ? [...literals.slice(0, MOST_NAMES).map(plain), '…'] : literals.map(plain);
    return [...shown, ...members.filter((one) => !one.isStringLiteral()).map(plain)].join(' | ');
  }

  /** @param {import('typescript').Symbol} symbol */
  #comment(symbol) {
    return ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).replaceAll(/\s+/g, ' ').trim();
  }
}

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|');

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** @param {Row} row @param {string} [prefix] */
const facts = ({ name, type, what }, prefix = '') => [`\`${prefix}${name}\``, `\`${type}\``, what];

/** @param {TypeReader} reader */
function options(reader) {
  const [plain, live, lab, hls] = [
    reader.exported(TYPES, 'VoxelOptions'),
    reader.exported(LIVE, 'LiveOptions'),
    reader.exported(LAB, 'LabOptions'),
    reader.exported(HLS, 'VoxelHlsOptions'),
  ].map((type) => reader.rows(type));
  const all = /** @type {Row[]} */ (plain);
  /** @param {Row[] | undefined} rows */
  const own = (rows) => (rows ?? []).filter(({ name, type }) => all.find((one) => one.name === name)?.type !== type);
  const isOfHls = (/** @type {string} */ name) => (hls ?? []).some((one) => one.name === name);
  const liveNames = (live ?? []).map(({ name }) => name);
  const isNew = (/** @type {Row} */ { name }) => !all.some((one) => one.name === name);
  return table(
    ['option', 'type', 'what it does', 'in'],
    [
      ...all.map((row) => [...facts(row), isOfHls(row.name) ? 'all' : 'all but `hls`']),
      ...own(live).map((row) => [...facts(row), '`live`, `lab`']),
      ...own(lab)
        .filter((row) => !isNew(row) || !liveNames.includes(row.name))
        .map((row) => [...facts(row), '`lab`']),
      ...own(hls).map((row) => [...facts(row), '`hls`']),
      ...reader.rows(reader.exported(TYPES, 'EndpointOption')).map((row) => [...facts(row, 'endpoint.'), 'all']),
      ...reader.rows(reader.exported(LIVE, 'PathOption')).map((row) => [...facts(row, 'paths[].'), '`live`, `lab`']),
    ],
  );
}

/** @param {TypeReader} reader */
function events(reader) {
  const rows = reader.extendedRows('VoxelEventMap', 'LivePluginEventMap').flatMap((event) => {
    const type = reader.typeOf(event.symbol);
    const about = [event.what || reader.about(type)];
    if (event.name === 'chunk') about.push('With `live`, `lab` and `hls`.');
    return [
      [`**\`${event.name}\`**`, '', '', about.join(' ').trim()],
      ...reader.rows(type).map((row) => ['', ...facts(row)]),
    ];
  });
  return table(['event', 'field', 'type', 'what it is'], rows);
}

/** @param {TypeReader} reader */
function statistics(reader) {
  const all = reader.extendedRows('VoxelStatistics', 'LivePluginStatistics');
  const live = reader.rows(reader.exported(TYPES, 'LiveStatistics'));
  const rows = [...all.map((row) => facts(row)), ...live.map((row) => facts(row, 'live.'))];
  return table(['field', 'type', 'what it is'], rows);
}

/** @param {TypeReader} reader */
const records = (reader) =>
  table(
    ['field', 'type', 'what it is'],
    reader.rows(reader.exported(TYPES, 'SegmentRecord')).map((row) => facts(row)),
  );

/** @type {Readonly<Record<string, (reader: TypeReader) => string>>} */
const TABLES = { options, events, statistics, records };

/** Document with the tables that it asks for, as `<!-- table: NAME -->`, made anew. @param {string} text @returns {Promise<string>} */
export async function withTables(text) {
  const reader = new TypeReader();
  const replaced = text.replaceAll(
    /(<!-- table: (\w+) -->\n)[^]*?(<!-- end of table -->)/g,
    (_, begin, /** @type {string} */ name, end) => {
      const make = TABLES[name];
      if (!make) throw new Error(`there is no table ${name}: there are ${Object.keys(TABLES).join(', ')}`);
      return `${begin}\n${make(reader)}\n\n${end}`;
    },
  );
  return format(replaced, { parser: 'markdown', printWidth: 120, singleQuote: true });
}

/** As the types of this checkout have it. */
export const embedding = () => withTables(readFileSync(join(root, 'docs/EMBEDDING.md'), 'utf8'));
