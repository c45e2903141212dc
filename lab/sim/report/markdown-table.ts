/** The first line is the header. */
export function markdownTable([header, ...lines]: readonly (readonly string[])[]): string {
  const all = [header!, header!.map(() => '---'), ...lines];
  return all.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}
