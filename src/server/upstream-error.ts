/** What did the upstream say when it failed? Its own bytes, unless they would give the proxy's key away. */

import type { UpstreamAnswered } from '../refusal/upstream-fault.ts';
import {
  decodedBody,
  type HttpUpstream,
  readBody,
  type UpstreamResponse,
} from '../transport/http-upstream.ts';

/** Largest error body that is handed on, bytes. */
const MAX_ERROR = 1_048_576;
/** These describe the upstream's bytes, not ours. */
const OF_THE_BODY = new Set(['content-length', 'content-encoding', 'content-md5', 'digest', 'etag']);

/**
 * The decoded body of an error; undefined where it cannot be read, or holds the key that the proxy presents: some
 * servers repeat the key they were given.
 */
export async function errorBytes(
  upstream: HttpUpstream,
  response: UpstreamResponse,
  signal: AbortSignal,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const body = decodedBody(response);
  if (body === undefined) {
    response.body.destroy();
    return undefined;
  }
  const read = await readBody(body, MAX_ERROR, signal);
  return read.ok && !upstream.isKeyIn(read.bytes) ? read.bytes : undefined;
}

/** An answer's headers, less those that describe its body's bytes. */
export function withoutBodyHeaders(headers: UpstreamAnswered['headers']): UpstreamAnswered['headers'] {
  return headers.filter(([name]) => !OF_THE_BODY.has(name));
}
