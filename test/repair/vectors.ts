import { readFileSync } from 'node:fs';

/** A slice as `manifests/tests/repair_vectors.py` writes it: input, header and all-skip slice; bytes are hexadecimal. */
export interface SliceVector {
  readonly avcc: string;
  readonly nal: string;
  readonly type: 'I' | 'P' | 'B';
  readonly cabac: boolean;
  readonly firstMacroblock: number;
  readonly cabacInitIdc: number;
  readonly qp: number;
  readonly headerBits: number;
  readonly headerBytes: number;
  readonly macroblocks: number;
  /** null for an I slice. */
  readonly skipSlice: string | null;
}

/** The vectors that both languages' tests read: three of each kind of slice. */
export function sharedVectors(): SliceVector[] {
  return JSON.parse(readFileSync(new URL('../vectors/repair.json', import.meta.url), 'utf8')) as SliceVector[];
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}
