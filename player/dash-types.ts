/**
 * The parts of dash.js 5.2 that the plugin touches, as structural types. Its own `index.d.ts` lacks some of them, and the plugin
 * must not import dash.js at run time: it works on the instance that the page made.
 */
export interface DashPlayer {
  extend(parentName: string, child: unknown, override: boolean): void;
  on(type: string, listener: (event: never) => void, scope?: object): void;
  off(type: string, listener: (event: never) => void, scope?: object): void;
  addABRCustomRule(type: string, name: string, rule: unknown): void;
  removeABRCustomRule(name: string): void;
  addResponseInterceptor(interceptor: (response: never) => Promise<never>): void;
  removeResponseInterceptor(interceptor: (response: never) => Promise<never>): void;
  getSettings(): unknown;
  updateSettings(settings: never): void;
}
