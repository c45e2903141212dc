import { piecesOf } from './pieces-of.js';

/** The body of a response. Rejects with `RangeError` for more than `limit` bytes: a server may send without end. */
export async function readAtMost(response: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = response.body!.getReader();
  for await (const chunk of piecesOf(reader)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) {
      await reader.cancel();
      throw new RangeError(`more than ${limit} bytes`);
    }
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
