import type { Parity } from '../../coding/symbols.js';
import { VoxelError } from '../errors.js';
import type { FileVersion } from './file-version.js';
import type { Fields } from './response-parser.js';
import { formatParity, parseInteger, parseUnreliable } from './structured-field.js';

/** What the answer to a request has to agree with. */
export interface Expected {
  readonly file: FileVersion;
  /** Bytes of the body. */
  readonly length: number;
  /** Undefined: the body is to come on the stream. */
  readonly flow: number | undefined;
  readonly parity: Parity | undefined;
}

/** What a response's head says of its body. */
export interface ResponseHead {
  /** Though datagrams may have been asked for. */
  readonly isOnStream: boolean;
  readonly hasParity: boolean;
}

/** Throws `VoxelError` for an answer that is none to what was asked, or of another version of the file. */
export function checkHead(status: number, fields: Fields, { file, length, flow, parity }: Expected): ResponseHead {
  if (status === 412) throw file.changed(fields.get('etag'));
  if (status !== 206) throw VoxelError.ofStatus(status);
  const answered = parseUnreliable(fields.get('x-voxel-unreliable'));
  if (answered !== undefined && answered !== flow) {
    throw new VoxelError(
      'bad-response',
      `the response is for flow ${answered}, expected ${flow ?? 'a body on the stream'}`,
    );
  }
  file.check(fields.get('etag'));
  const isOnStream = answered === undefined;
  const announced = parseInteger(fields.get(isOnStream ? 'content-length' : 'x-voxel-length'));
  if (announced !== undefined && announced !== length) {
    throw new VoxelError('bad-response', `the response announces ${announced} bytes, expected ${length}`);
  }
  const hasParity = parity !== undefined && fields.get('x-voxel-parity') === formatParity(parity);
  return { isOnStream, hasParity };
}
