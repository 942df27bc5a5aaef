/** What is the body of a request, as text? Within the limit, not compressed, and valid UTF-8; else a clear problem. */

import type { IncomingMessage } from 'node:http';
import type { ProblemCode } from '../refusal/catalogue.ts';

export type RequestBody =
  | { readonly ok: true; readonly bytes: Buffer; readonly text: string }
  | { readonly ok: false; readonly code: ProblemCode; readonly detail: string };

/** Reads a request's body whole. */
export async function readRequestBody(incoming: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  const encoding = incoming.headers['content-encoding']?.toLowerCase();
  if (encoding !== undefined && encoding !== 'identity') {
    return { ok: false, code: 'invalid_request', detail: 'content-encoding: send the body uncompressed' };
  }
  const tooLarge = {
    ok: false,
    code: 'request_too_large',
    detail: `at most ${maxBytes} bytes are taken`,
  } as const;
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return tooLarge;
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of incoming as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) return tooLarge;
      pieces.push(piece);
    }
  } catch {
    return { ok: false, code: 'invalid_request', detail: 'the body broke off' };
  }
  const bytes = Buffer.concat(pieces, length);
  try {
    return {
      ok: true,
      bytes,
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    };
  } catch {
    return { ok: false, code: 'invalid_request', detail: 'the body is not UTF-8' };
  }
}
