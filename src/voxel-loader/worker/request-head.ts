import type { Parity } from '../../coding/symbols.js';
import { formatRange, type ByteRange } from '../../manifest/byte-range.js';
import { VoxelError } from '../errors.js';
import { formatParity } from './structured-field.js';

/** A GET, as a rule for byte ranges. */
export interface RequestHead {
  /** Path and query. */
  readonly target: string;
  /** Authority of the server. */
  readonly host: string;
  /** Further fields, sent as they are. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ranges in the order in which they are wanted. */
  readonly ranges: readonly ByteRange[];
  /** Value of `x-voxel-follow`, in place of ranges: the file is wanted as it grows. */
  readonly follow?: string;
  /** The flow on which the body may come as datagrams; undefined: it must come on the stream. */
  readonly flow: number | undefined;
  /** The version of the file that is wanted; undefined: any. */
  readonly etag: string | undefined;
  /** Milliseconds. */
  readonly deadline: number | undefined;
  /** The flow of this session whose bytes go before this body; undefined: it waits for none. */
  readonly after?: number | undefined;
  /** That datagrams should come with. */
  readonly parity?: Parity | undefined;
}

/** Fields that this module writes itself. */
const ownFields = new Set([
  'host',
  'range',
  'if-match',
  'x-voxel-unreliable',
  'x-voxel-deadline',
  'x-voxel-after',
  'x-voxel-parity',
]);

/** RFC 9110 §5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e]*$/;
const originForm = /^\/[\x21\x22\x24-\x7e]*$/;

/**
 * Serialises a request in HTTP/1.1 syntax (RFC 9112). Throws `VoxelError` code `bad-request` for anything that would end a
 * line early or contradict a field of ours.
 */
export function serializeRequestHead(request: RequestHead): Uint8Array<ArrayBuffer> {
  const { target, host, headers, ranges, follow, etag, flow, deadline, after, parity } = request;
  if (!originForm.test(target))
    throw new VoxelError('bad-request', `the request target must be a path, got ${JSON.stringify(target)}`);
  const fields: [string, string][] = [
    ['host', host],
    follow ? ['x-voxel-follow', follow] : ['range', `bytes=${ranges.map(formatRange).join(',')}`],
  ];
  if (etag !== undefined) fields.push(['if-match', etag]);
  if (flow !== undefined) fields.push(['x-voxel-unreliable', `?1;flow=${flow}`]);
  if (deadline !== undefined) fields.push(['x-voxel-deadline', String(Math.max(0, Math.round(deadline)))]);
  if (after !== undefined) fields.push(['x-voxel-after', String(after)]);
  if (parity) fields.push(['x-voxel-parity', formatParity(parity)]);
  for (const [name, value] of Object.entries(headers)) {
    if (ownFields.has(name.toLowerCase()))
      throw new VoxelError('bad-request', `the header ${name} is set by the loader itself`);
    fields.push([name, value]);
  }
  for (const [name, value] of fields) {
    if (!token.test(name) || !fieldValue.test(value)) {
      throw new VoxelError(
        'bad-request',
        `the header ${JSON.stringify(name)} has a character that HTTP does not allow`,
      );
    }
  }
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return new TextEncoder().encode(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
}
