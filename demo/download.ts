import { create } from './dom.js';

/** Hands `value` to the person as a JSON file. */
export function downloadJson(fileName: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }));
  create('a', { attributes: { href: url, download: fileName } }).click();
  URL.revokeObjectURL(url);
}
