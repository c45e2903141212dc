/** A block of code in a tutorial. What stands behind its language says what a reader does with it. */
export interface Block {
  readonly language: string;
  /**
   * Of `sh`: `server`: runs on until the tutorial ends; `long`: takes minutes, or installs something. Of others: the file that it is, or
   * changes (`diff`).
   */
  readonly use: string | undefined;
  readonly code: string;
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language, use, code]) => ({
    language: language!,
    use,
    code: code!,
  }));
}
