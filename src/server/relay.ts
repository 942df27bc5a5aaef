/** How does a request pass untouched? Byte for byte both ways, as a stream, with back-pressure and cancellation. */

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { upstreamErrorBody } from '../openai/error-body.ts';
import type { UpstreamCall, UpstreamResponse } from '../transport/http-upstream.ts';
import { faultAnswer, type HeaderPairs, toResponse } from './answer.ts';
import type { Gate } from './gate.ts';
import { errorBytes, withoutBodyHeaders } from './upstream-error.ts';

/**
 * Sends the call and streams its answer to `outgoing`, with `ours` added to its headers, and `requestId` where it
 * has none. An answer that breaks off breaks the client's connection off: nothing is appended to what came.
 */
export async function relay(
  gate: Gate,
  call: Omit<UpstreamCall, 'verbatim'>,
  ours: HeaderPairs,
  requestId: string,
  outgoing: ServerResponse,
): Promise<Response> {
  const response = await gate.upstream.send({ ...call, verbatim: true });
  if (!response.ok) return toResponse(faultAnswer(response.fault, ours));
  const identified = response.headers.some(([name]) => name === 'x-request-id');
  const extra: HeaderPairs = identified ? ours : [...ours, ['x-request-id', requestId]];
  if (response.status >= 400 && gate.upstream.hasKey) {
    return await relayError(gate, response, call.signal, extra, outgoing);
  }
  outgoing.writeHead(response.status, [...response.headers, ...extra].flat());
  try {
    await pipeline(response.body, outgoing);
  } catch {
    outgoing.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}

/** An error may repeat the proxy's key: it is read whole before it is handed on. */
async function relayError(
  gate: Gate,
  response: UpstreamResponse,
  signal: AbortSignal,
  extra: HeaderPairs,
  outgoing: ServerResponse,
): Promise<Response> {
  const bytes = await errorBytes(gate.upstream, response, signal);
  const headers = [...withoutBodyHeaders(response.headers), ...extra];
  if (bytes === undefined) {
    const kept = headers.filter(([name]) => name !== 'content-type');
    outgoing.writeHead(response.status, [...kept, ['content-type', 'application/json']].flat());
  } else {
    outgoing.writeHead(response.status, headers.flat());
  }
  outgoing.end(bytes ?? upstreamErrorBody(response.status));
  return RESPONSE_ALREADY_SENT;
}
