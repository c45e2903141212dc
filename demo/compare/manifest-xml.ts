import type { ByteRange } from '../../src/manifest/byte-range.js';
import type { Rung } from './types.js';

export async function fetchXml(url: string): Promise<Document> {
  return new DOMParser().parseFromString(await (await fetchGood(url)).text(), 'application/xml');
}

export async function fetchBytes(url: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await fetchGood(url)).arrayBuffer());
}

export async function fetchRange(url: string, { start, end }: ByteRange): Promise<Uint8Array> {
  const response = await fetchGood(url, { headers: { range: `bytes=${start}-${end - 1}` } });
  return new Uint8Array(await response.arrayBuffer());
}

export function attributesOf(element: Element): Record<string, string> {
  return Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
}

/** `element`: a `Representation`. */
export function rungOf(element: Element): Rung {
  const { id = '', codecs = '', width, height, bandwidth } = attributesOf(element);
  return { id, codecs, width: Number(width), height: Number(height), bandwidth: Number(bandwidth) };
}

async function fetchGood(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response;
}
