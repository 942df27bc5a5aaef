/**
 * How is one verified chat exchange served? It runs the exchange, tells metrics, log and refusal log how it ended,
 * and gives the answer: plain, or as a stream whose status line waits for the verdict as long as that is wise.
 */

import { randomUUID } from 'node:crypto';
import type { Contract } from '../contract/contract.ts';
import { runExchange } from '../exchange/exchange.ts';
import type { Outcome } from '../exchange/outcome.ts';
import { renderChat } from '../openai/chat-render.ts';
import type { ChatEnvelope } from '../openai/chat-reply.ts';
import type { ChatRequest } from '../openai/chat-request.ts';
import { renderChatStream } from '../openai/chat-stream-render.ts';
import { SSE_COMMENT, sseEvent } from '../openai/sse.ts';
import { countRepairs } from '../reader/reading.ts';
import { type Refusal, refusalOf } from '../refusal/refusal.ts';
import type { UpstreamFault } from '../refusal/upstream-fault.ts';
import { ExchangeObserver } from '../telemetry/exchange-observer.ts';
import { NO_ROUTE } from '../telemetry/metrics.ts';
import type { RawHeaders } from '../transport/headers.ts';
import {
  type Answer,
  errorEventOf,
  exchangeHeaders,
  faultAnswer,
  type HeaderPairs,
  headersOf,
  problemAnswer,
  refusalAnswer,
  routeHeader,
  toResponse,
} from './answer.ts';
import { ChatUpstream } from './chat-upstream.ts';
import type { Gate } from './gate.ts';

const SURFACE = 'chat';

export interface ChatExchangeParts {
  readonly request: ChatRequest;
  readonly contract: Contract;
  readonly route: string | undefined;
  readonly clientHeaders: RawHeaders;
  readonly query: string;
  /** Told where the upstream gives none. */
  readonly requestId: string;
  readonly abort: AbortController;
}

/** Serves one exchange whose request has been understood. */
export async function serveChatExchange(gate: Gate, parts: ChatExchangeParts): Promise<Response> {
  const running = run(gate, parts).catch((error: unknown) => {
    // The stream may have begun, so that the bug has to be told here.
    gate.log.error({ error: error instanceof Error ? error.name : '' }, 'a bug: an exception in an exchange');
    return problemAnswer('internal_error', undefined, null, [['x-should-retry', 'false']]);
  });
  if (!parts.request.stream) return toResponse(await running);
  const { holdStatusMs } = gate.options;
  const held = Promise.withResolvers<undefined>();
  const timer = setTimeout(held.resolve, holdStatusMs, undefined);
  const answer = await Promise.race([running, held.promise]);
  clearTimeout(timer);
  if (answer === undefined) return lateStream(gate, parts, running);
  return toResponse(answer);
}

/** Status 200 before the verdict: comments until it is there, then the chunks, or one error event. */
function lateStream(gate: Gate, parts: ChatExchangeParts, running: Promise<Answer>): Response {
  const { route, requestId, abort } = parts;
  const encoder = new TextEncoder();
  let comments: NodeJS.Timeout | undefined;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller): Promise<void> {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      send(SSE_COMMENT);
      comments = setInterval(() => send(SSE_COMMENT), gate.options.commentEveryMs);
      const answer = await running.finally(() => clearInterval(comments));
      if (cancelled) return;
      send(answer.status === 200 ? String(answer.body) : sseEvent(errorEventOf(answer)));
      controller.close();
    },
    cancel(): void {
      cancelled = true;
      clearInterval(comments);
      abort.abort();
    },
  });
  const headers: HeaderPairs = [...STREAM_HEADERS, ['x-request-id', requestId], ...routeHeader(route)];
  return new Response(body, { status: 200, headers: headersOf(headers) });
}

const STREAM_HEADERS: HeaderPairs = [
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['cache-control', 'no-cache'],
  ['x-accel-buffering', 'no'],
];

async function run(gate: Gate, parts: ChatExchangeParts): Promise<Answer> {
  const { request, contract, route, clientHeaders, query, abort } = parts;
  const label = route ?? NO_ROUTE;
  const started = gate.clock.now();
  const upstream = new ChatUpstream(gate.upstream, request, clientHeaders, query);
  const observer = new ExchangeObserver(gate.metrics, label, gate.clock);
  const outcome = await runExchange({
    contract,
    upstream,
    observer,
    clock: gate.clock,
    signal: abort.signal,
  });
  const upstreamRequestId = upstream.headers.find(([name]) => name === 'x-request-id')?.[1];
  const requestId = upstreamRequestId ?? parts.requestId;
  const refusal = outcome.kind === 'refused' ? tellRefusal(gate, parts, outcome, requestId) : undefined;
  const totalMs = gate.clock.now() - started;
  const overheadMs = Math.max(0, totalMs - observer.upstreamMs);
  count(gate, label, outcome, overheadMs);
  gate.log.info(
    {
      route: route ?? null,
      surface: SURFACE,
      verdict: verdictOf(outcome),
      ...(refusal === undefined ? {} : { code: refusal.code, refusal_id: refusal.refusalId }),
      ...(outcome.kind === 'failed' ? { fault: outcome.fault.kind } : {}),
      calls: outcome.calls,
      ms: Math.round(totalMs),
      overhead_ms: Number(overheadMs.toFixed(2)),
      request_id: parts.requestId,
      upstream_request_id: upstreamRequestId,
    },
    'exchange',
  );
  const ours = exchangeHeaders(outcome, route, overheadMs, requestId);
  return answerOf(outcome, request, refusal, upstream.headers, ours);
}

function answerOf(
  outcome: Outcome<ChatEnvelope>,
  request: ChatRequest,
  refusal: Refusal | undefined,
  theirs: HeaderPairs,
  ours: HeaderPairs,
): Answer {
  if (outcome.kind === 'failed') return faultAnswer(outcome.fault, ours);
  if (outcome.kind === 'refused') {
    // Never undefined here: every refused outcome has been told.
    return refusal === undefined
      ? faultAnswer({ kind: 'invalid', detail: '' }, ours)
      : refusalAnswer(refusal, ours);
  }
  const named = new Set([...ours, ...STREAM_HEADERS].map(([name]) => name));
  const headers = [...theirs.filter(([name]) => !named.has(name)), ...ours];
  if (request.stream) {
    return {
      status: 200,
      headers: [...headers, ...STREAM_HEADERS],
      body: renderChatStream(outcome, request.includeUsage),
    };
  }
  return {
    status: 200,
    headers: [...headers, ['content-type', 'application/json']],
    body: renderChat(outcome),
  };
}

function tellRefusal(
  gate: Gate,
  { contract, route, request }: ChatExchangeParts,
  outcome: Extract<Outcome<ChatEnvelope>, { kind: 'refused' }>,
  requestId: string,
): Refusal {
  const { refused, calls, usage } = outcome;
  const refusal = refusalOf({
    code: refused.code,
    fault: refused.fault,
    first: refused.first,
    secondAttempt: refused.secondAttempt === undefined ? undefined : faultText(refused.secondAttempt),
    choice: refused.index,
    route,
    calls,
    usage,
    refusalId: randomUUID(),
  });
  gate.refusals.add({
    time: Date.now(),
    refusal,
    fingerprint: contract.fingerprint,
    model: request.model,
    requestId,
    replies: refused.replies,
  });
  return refusal;
}

function count(gate: Gate, route: string, outcome: Outcome<ChatEnvelope>, overheadMs: number): void {
  const { metrics } = gate;
  metrics.exchanges.inc({ route, surface: SURFACE, verdict: verdictOf(outcome) });
  metrics.overheadSeconds.observe({ route }, overheadMs / 1000);
  if (outcome.kind === 'refused') metrics.refusals.inc({ route, code: outcome.refused.code });
  if (outcome.kind !== 'verified') return;
  for (const [kind, times] of countRepairs(outcome.choices.flatMap(({ repairs }) => repairs))) {
    metrics.repairs.inc({ route, kind }, times);
  }
}

/** The metric's label; an exchange that the upstream failed has none of the verdicts. */
function verdictOf(outcome: Outcome<ChatEnvelope>): string {
  return outcome.kind === 'verified' ? outcome.verdict : outcome.kind;
}

function faultText(fault: UpstreamFault): string {
  return fault.kind === 'answered' ? `the upstream answered ${fault.status}` : fault.detail;
}
