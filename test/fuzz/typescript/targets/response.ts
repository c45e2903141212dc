import assert from 'node:assert/strict';
import { VoxelError, type VoxelErrorCode } from '../../../../src/voxel-loader/errors.js';
import {
  MAX_SECTION_BYTES,
  ResponseParser,
  type ResponseEvent,
} from '../../../../src/voxel-loader/worker/response-parser.js';
import { parseInteger, parseUnreliable } from '../../../../src/voxel-loader/worker/structured-field.js';
import { target } from '../support/target.js';

/**
 * A response, behind a byte that says how long the pieces are in which it comes: it means the same however it is divided, and
 * no more than it has.
 */
export const fuzz = target((input) => {
  const bytes = input.subarray(1);
  const whole = parse(bytes, 1);
  for (const size of [1 + (input[0] ?? 0), Infinity]) {
    const other = parse(bytes, size);
    assert.equal(other.failure, whole.failure);
    if (whole.failure === undefined) assert.deepEqual(other, whole);
    // What stands before a fault in its piece is lost with it.
    assert.deepEqual(other.sections, whole.sections.slice(0, other.sections.length));
    assert.deepEqual(other.body, whole.body.slice(0, other.body.length));
  }
  assert.ok(whole.body.length <= bytes.length);
  for (const fields of whole.sections) {
    assert.ok(fields.join('').length <= MAX_SECTION_BYTES);
    fields.forEach(checkField);
  }
});

interface Parsed {
  /** Names and values of the fields of head and trailers. */
  readonly sections: string[][];
  readonly body: number[];
  failure: VoxelErrorCode | undefined;
}

function parse(bytes: Uint8Array, pieceSize: number): Parsed {
  const parsed: Parsed = { sections: [], body: [], failure: undefined };
  const parser = new ResponseParser();
  try {
    for (let at = 0; at < bytes.length; at += pieceSize) add(parsed, parser.push(bytes.subarray(at, at + pieceSize)));
    add(parsed, parser.end());
  } catch (error) {
    if (!(error instanceof VoxelError)) throw error;
    parsed.failure = error.code;
  }
  return parsed;
}

function add({ sections, body }: Parsed, events: readonly ResponseEvent[]): void {
  for (const event of events) {
    if (event.type === 'body') for (const byte of event.bytes) body.push(byte);
    else sections.push([...(event.type === 'head' ? event.fields : event.trailers)].flat());
  }
}

function checkField(text: string): void {
  const [item = '', ...parameters] = text.split(';').map((part) => part.trim());
  const isInteger = /^\d{1,15}$/.test(item);
  assert.equal(parseInteger(text), isInteger ? Number(item) : undefined);
  const flow = parameters.find((parameter) => parameter.startsWith('flow='))?.slice(5);
  assert.equal(parseUnreliable(text), item === '?1' ? parseInteger(flow) : undefined);
}
