/** How does a request pass untouched? Byte for byte both ways, as a stream, with back-pressure and cancellation. */

import { Readable } from 'node:stream';
import type { UpstreamCall } from '../transport/http-upstream.ts';
import { faultAnswer, headersOf, toResponse } from './answer.ts';
import type { Gate } from './gate.ts';

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Sends the call and streams its answer back. `ended` is called once the answer's last byte or its end is known. */
export async function relay(
  gate: Gate,
  call: Omit<UpstreamCall, 'verbatim'>,
  extra: readonly (readonly [string, string])[],
  ended: () => void,
): Promise<Response> {
  const response = await gate.upstream.send({ ...call, verbatim: true });
  if (!response.ok) {
    ended();
    return toResponse(faultAnswer(response.fault, extra));
  }
  const headers = headersOf([...response.headers, ...extra]);
  if (WITHOUT_BODY.has(response.status) || call.method === 'HEAD') {
    response.body.resume().once('close', ended);
    return new Response(null, { status: response.status, headers });
  }
  response.body.once('close', ended);
  const stream = Readable.toWeb(response.body) as ReadableStream<Uint8Array>;
  return new Response(stream, { status: response.status, headers });
}
