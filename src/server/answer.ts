/** Which HTTP answer does an outcome become? Statuses, headers and bodies in one place, for plain answers and events. */

import { randomUUID } from 'node:crypto';
import type { Outcome } from '../exchange/outcome.ts';
import type { ChatEnvelope } from '../openai/chat-reply.ts';
import { errorEvent, problemBody, REFUSAL_STATUS, refusalBody } from '../openai/error-body.ts';
import { countRepairs } from '../reader/reading.ts';
import { PROBLEMS, type ProblemCode } from '../refusal/catalogue.ts';
import type { Refusal } from '../refusal/refusal.ts';
import type { UpstreamFailed, UpstreamFault } from '../refusal/upstream-fault.ts';

export type HeaderPairs = readonly (readonly [string, string])[];

/** An answer that is ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderPairs;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const FAULT_CODES: Readonly<Record<UpstreamFailed['kind'], ProblemCode>> = {
  unreachable: 'upstream_unreachable',
  timeout: 'upstream_timeout',
  invalid: 'upstream_invalid',
  too_large: 'upstream_invalid',
  cancelled: 'upstream_unreachable',
};

/** A problem of the proxy's own. */
export function problemAnswer(
  code: ProblemCode,
  detail?: string,
  param: string | null = null,
  headers: HeaderPairs = [],
): Answer {
  const retry: HeaderPairs = PROBLEMS[code].status < 500 ? [['x-should-retry', 'false']] : [];
  return json(PROBLEMS[code].status, problemBody(code, detail, param), [...headers, ...retry]);
}

/** A refusal: status 400, which no SDK retries. */
export function refusalAnswer(refusal: Refusal, headers: HeaderPairs): Answer {
  return json(REFUSAL_STATUS, refusalBody(refusal), [...headers, ['x-should-retry', 'false']]);
}

/** An upstream's failure: its own answer, or ours about it. */
export function faultAnswer(fault: UpstreamFault, headers: HeaderPairs): Answer {
  if (fault.kind !== 'answered') return problemAnswer(FAULT_CODES[fault.kind], fault.detail, null, headers);
  const ours = new Set(headers.map(([name]) => name));
  const theirs = fault.headers.filter(([name]) => !ours.has(name));
  return { status: fault.status, headers: [...theirs, ...headers], body: Uint8Array.from(fault.body) };
}

/** An answer that is an error, as an event's data. */
export function errorEventOf({ status, body }: Answer): string {
  return errorEvent(status, typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
}

/** Our headers on every answer of an exchange. */
export function exchangeHeaders(
  outcome: Outcome<ChatEnvelope>,
  route: string | undefined,
  overheadMs: number,
  requestId: string,
): HeaderPairs {
  const headers: (readonly [string, string])[] = [
    ['x-request-id', requestId],
    ['x-portcullis-calls', String(outcome.calls)],
    ['x-portcullis-overhead-ms', overheadMs.toFixed(2)],
    ...routeHeader(route),
  ];
  if (outcome.kind === 'refused') headers.push(['x-portcullis-verdict', 'refused']);
  if (outcome.kind === 'verified') {
    const repairs = countRepairs(outcome.choices.flatMap((choice) => choice.repairs));
    headers.push(['x-portcullis-verdict', outcome.verdict]);
    if (repairs.length > 0) {
      headers.push(['x-portcullis-repairs', repairs.map(([kind, count]) => `${kind}=${count}`).join(', ')]);
    }
  }
  return headers;
}

/** The header that names the route, where there is one. */
export function routeHeader(route: string | undefined): HeaderPairs {
  return route === undefined ? [] : [['x-portcullis-route', route]];
}

/** The id of a request: the client's own, where it is a plain word, or a new one. */
export function requestIdFor(given: string | readonly string[] | undefined): string {
  if (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)) return given;
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** The answer as a web response. Repeated headers stay repeated. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers: headersOf(headers) });
}

/** Header pairs as a web headers object. */
export function headersOf(pairs: HeaderPairs): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) headers.append(name, value);
  return headers;
}

function json(status: number, body: string, headers: HeaderPairs): Answer {
  return { status, headers: [...headers, ['content-type', 'application/json']], body };
}
