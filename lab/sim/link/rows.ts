import { UserError } from '../../../tools/setup/process.mjs';

/** The lines that are not empty. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

interface RowFormat {
  readonly separator: string | RegExp;
  /** For messages. */
  readonly firstLine: number;
  readonly columns: number;
}

/** Lines of so many numbers, the first of which is a second; these lie in equal steps of `step` seconds. Throws a `UserError` that names the line. */
export function evenRows(
  name: string,
  lines: readonly string[],
  { separator, firstLine, columns }: RowFormat,
): { readonly step: number; readonly rows: readonly (readonly number[])[] } {
  const rows = lines.map((line, index) => {
    const values = line.split(separator).map((column) => (column.trim() === '' ? NaN : Number(column)));
    if (values.length !== columns || !values.every(Number.isFinite))
      throw new UserError(`${name}:${index + firstLine}: not ${columns} numbers`);
    return values;
  });
  const step = rows.length > 1 ? rows[1]![0]! - rows[0]![0]! : 1;
  rows.forEach(([second], index) => {
    const ascends = step > 0 && (index === 0 || Math.abs(second! - rows[index - 1]![0]! - step) < 1e-6);
    if (!ascends) throw new UserError(`${name}:${index + firstLine}: the seconds must ascend by equal steps`);
  });
  return { step, rows };
}
