/** An error in one line, with the line of a file at which it came about, as far as it says. */
export function errorText(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const name = file.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const [, line] = new RegExp(`${name}(?:\\?[^:]*)?:(\\d+)`).exec(stack) ?? [];
  return `${String(error).split('\n')[0]!}${line === undefined ? '' : ` (line ${line})`}`;
}
