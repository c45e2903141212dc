import { VoxelError } from '../../errors.js';
import type { FollowRequest } from '../../types.js';
import { serializeRequestHead } from '../request-head.js';
import type { Fields } from '../response-parser.js';
import { parseUnreliable } from '../structured-field.js';

/** Asks for the chunks of a live segment as they are made. `flow`: of their frames; undefined: all on the stream. Throws as `serializeRequestHead`. */
export function serializeFollowHead(
  { target, headers, headerHosts, deadline, isGroup }: FollowRequest,
  { host, flow }: { readonly host: string; readonly flow: number | undefined },
): Uint8Array<ArrayBuffer> {
  const isTrusted = headerHosts.includes(new URL(`https://${host}`).hostname);
  const until = deadline === undefined ? '' : `;deadline=${Math.max(0, Math.round(deadline))}`;
  const follow = `?1${until}${isGroup ? ';group' : ''}`;
  return serializeRequestHead({
    ...{ target, host, flow, follow, ranges: [], etag: undefined, deadline: undefined },
    headers: isTrusted ? headers : {},
  });
}

/** Throws `VoxelError` for an answer that follows nothing. Whether its frames come as datagrams is the server's choice. */
export function checkFollowHead(status: number, fields: Fields, flow: number | undefined): void {
  if (status !== 200) throw VoxelError.ofStatus(status);
  if (fields.get('x-voxel-follow')?.split(';', 1)[0] !== '?1')
    throw new VoxelError('status', 'the server does not follow this file', { status });
  const answered = parseUnreliable(fields.get('x-voxel-unreliable'));
  if (answered !== undefined && answered !== flow)
    throw new VoxelError(
      'bad-response',
      `the response is for flow ${answered}, expected ${flow ?? 'frames on the stream'}`,
    );
}
