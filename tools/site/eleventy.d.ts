/** What the site uses of Eleventy, which comes without types. */
declare module '@11ty/eleventy' {
  export interface MarkdownLibrary {
    set(options: object): void;
    disable(rules: string): void;
    render(text: string, data: Record<string, unknown>): string;
  }

  export interface Config {
    setLibrary(name: 'md', library: MarkdownLibrary): void;
    addFilter(name: string, filter: (...values: never[]) => unknown): void;
    addGlobalData(name: string, value: unknown): void;
    addTemplate(path: string, content: string, data: Record<string, unknown>): void;
  }

  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; configPath: false; config: (config: Config) => void },
    );
    write(): Promise<unknown>;
  }
}
