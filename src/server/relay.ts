/** How does a request pass untouched? Byte for byte both ways, as a stream, with back-pressure and cancellation. */

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { UpstreamCall } from '../transport/http-upstream.ts';
import { faultAnswer, type HeaderPairs, toResponse } from './answer.ts';
import type { Gate } from './gate.ts';

/**
 * Sends the call and streams its answer to `outgoing`, with `extra` headers of our own. An answer that breaks off
 * breaks the client's connection off: nothing is appended to what came.
 */
export async function relay(
  gate: Gate,
  call: Omit<UpstreamCall, 'verbatim'>,
  extra: HeaderPairs,
  outgoing: ServerResponse,
): Promise<Response> {
  const response = await gate.upstream.send({ ...call, verbatim: true });
  if (!response.ok) return toResponse(faultAnswer(response.fault, extra));
  outgoing.writeHead(response.status, [...response.headers, ...extra].flat());
  try {
    await pipeline(response.body, outgoing);
  } catch {
    outgoing.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}
