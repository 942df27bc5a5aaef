/** How does a request pass untouched? Byte for byte both ways, as a stream, with back-pressure and cancellation. */

import { Readable } from 'node:stream';
import type { UpstreamCall } from '../transport/http-upstream.ts';
import { faultAnswer, headersOf, toResponse } from './answer.ts';
import type { Gate } from './gate.ts';

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Sends the call and streams its answer back, with `extra` headers of our own. */
export async function relay(
  gate: Gate,
  call: Omit<UpstreamCall, 'verbatim'>,
  extra: readonly (readonly [string, string])[],
): Promise<Response> {
  const response = await gate.upstream.send({ ...call, verbatim: true });
  if (!response.ok) return toResponse(faultAnswer(response.fault, extra));
  const headers = headersOf([...response.headers, ...extra]);
  if (WITHOUT_BODY.has(response.status) || call.method === 'HEAD') {
    response.body.resume();
    return new Response(null, { status: response.status, headers });
  }
  const stream = Readable.toWeb(response.body) as ReadableStream<Uint8Array>;
  return new Response(stream, { status: response.status, headers });
}
