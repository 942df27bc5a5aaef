/** Where do applications come in? `/{route}/v1/…` and `/v1/…`: held to a contract, or streamed through untouched. */

import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Contract, ContractIssue } from '../contract/contract.ts';
import {
  definitionOf,
  parseRequest,
  type RequestFault,
  readChatRequest,
  unsupportedUnderContract,
} from '../openai/chat-request.ts';
import { NO_ROUTE } from '../telemetry/metrics.ts';
import { type Answer, problemAnswer, requestIdFor, toResponse } from './answer.ts';
import { presentsKey } from './bearer.ts';
import { serveChatExchange } from './chat-exchange.ts';
import type { Gate } from './gate.ts';
import { relay } from './relay.ts';
import { readRequestBody } from './request-body.ts';
import { RequestContracts } from './request-contracts.ts';
import { refuseRequest } from './request-refusal.ts';
import { cannotBypass, isEnforced, readTarget, type Target } from './target.ts';

type DataContext = Context<{ Bindings: HttpBindings }>;

/** One request on its way. */
interface Incoming {
  readonly c: DataContext;
  readonly target: Target;
  readonly requestId: string;
  readonly abort: AbortController;
}

/** The data plane's application. */
export function dataPlane(gate: Gate): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const requestContracts = new RequestContracts();
  app.all('*', async (c) => {
    const requestId = requestIdFor(c.env.incoming.headers['x-request-id']);
    const identified = (response: Response): Response => {
      if (response !== RESPONSE_ALREADY_SENT && !response.headers.has('x-request-id')) {
        response.headers.set('x-request-id', requestId);
      }
      return response;
    };
    const early = admit(gate, c);
    if (early !== undefined) return identified(toResponse(early));
    const target = targetOf(c);
    if ('status' in target) return identified(toResponse(target));
    const { abort, end } = gate.running.start();
    gate.metrics.inFlight.inc();
    const { outgoing } = c.env;
    // Closed: the answer's last byte is out, or its client has gone.
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) abort.abort();
      gate.metrics.inFlight.dec();
      end();
    });
    return identified(await serve(gate, requestContracts, { c, target, requestId, abort }));
  });
  app.onError((error) => {
    // Nothing of the exception reaches the client; its text may hold a reply or a key, so the log has its name only.
    gate.log.error({ error: error.name }, 'a bug: an exception in the data plane');
    return toResponse(problemAnswer('internal_error', undefined, null, [['x-should-retry', 'false']]));
  });
  return app;
}

/** What is answered before the path is looked at. */
function admit(gate: Gate, c: DataContext): Answer | undefined {
  if (gate.running.draining) {
    return problemAnswer('overloaded', 'the proxy is shutting down', null, [
      ['retry-after', '1'],
      ['connection', 'close'],
    ]);
  }
  const { clientKeys } = gate.options;
  if (clientKeys !== undefined && !presentsKey(c.env.incoming.headers.authorization, clientKeys)) {
    return problemAnswer('unauthorized', 'present one of the client keys as a bearer token');
  }
  return undefined;
}

/** The path's target, with the route of `x-portcullis-contract` where the path names none. */
function targetOf(c: DataContext): Target | Answer {
  const target = readTarget(c.env.incoming.url ?? '');
  if (target === undefined) {
    return problemAnswer('not_found', 'paths are /{route}/v1/… and /v1/…, spelt as the OpenAI API does');
  }
  const named = c.env.incoming.headers['x-portcullis-contract'];
  if (named === undefined) return target;
  if (typeof named !== 'string' || (target.route !== undefined && target.route !== named)) {
    return problemAnswer(
      'invalid_request',
      'the path and the header name different routes',
      'x-portcullis-contract',
    );
  }
  return { ...target, route: named };
}

async function serve(gate: Gate, requestContracts: RequestContracts, incoming: Incoming): Promise<Response> {
  const { c, target } = incoming;
  const { route, endpoint } = target;
  let contract: Contract | undefined;
  if (route !== undefined) {
    const state = gate.registry.find(route);
    if (state === undefined) return toResponse(problemAnswer('unknown_route', routesText(gate, route)));
    if (state.state === 'broken')
      return toResponse(problemAnswer('contract_unavailable', issuesText(state.issues)));
    contract = state.contract;
  }
  if (isEnforced(endpoint)) return await serveChat(gate, requestContracts, incoming, contract);
  if (contract === undefined || cannotBypass(c.req.method, endpoint)) {
    return await pass(gate, incoming, undefined);
  }
  const detail = `${c.req.method} v1/${endpoint} cannot be held to the contract of the route`;
  return refused(gate, incoming, contract, { ok: false, code: 'unsupported', detail, param: null });
}

async function serveChat(
  gate: Gate,
  requestContracts: RequestContracts,
  incoming: Incoming,
  registered: Contract | undefined,
): Promise<Response> {
  const { c, target, requestId, abort } = incoming;
  if (c.req.method !== 'POST') {
    return toResponse(problemAnswer('method_not_allowed', 'use POST', null, [['allow', 'POST']]));
  }
  const read = await readRequestBody(c.env.incoming, gate.options.maxRequestBytes);
  if (!read.ok) return toResponse(problemAnswer(read.code, read.detail));
  const parsed = parseRequest(read.text);
  if (!parsed.ok) return refused(gate, incoming, registered, parsed);
  const { json } = parsed;
  const definition = registered === undefined ? definitionOf(json.body) : undefined;
  if (definition?.ok === false) return refused(gate, incoming, undefined, definition);
  const compiled = definition === undefined ? undefined : requestContracts.compile(definition.definition);
  if (compiled?.ok === false) {
    const detail = `the schema cannot be enforced: ${issuesText(compiled.issues)}`;
    return toResponse(problemAnswer('invalid_request', detail, 'response_format'));
  }
  const contract = registered ?? compiled?.contract;
  if (contract === undefined) return await pass(gate, incoming, read.bytes);
  const unsupported = unsupportedUnderContract(json.body);
  if (unsupported !== undefined) return refused(gate, incoming, contract, unsupported);
  const understood = readChatRequest(json);
  if (!understood.ok) return refused(gate, incoming, contract, understood);
  const { request } = understood;
  const clientHeaders = c.env.incoming.rawHeaders;
  const { route, query } = target;
  return await serveChatExchange(gate, { request, contract, route, clientHeaders, query, requestId, abort });
}

/** Streams a request through. The body is `bytes` where it has been read already. */
async function pass(gate: Gate, incoming: Incoming, bytes: Uint8Array | undefined): Promise<Response> {
  const { c, target, requestId, abort } = incoming;
  const { headers, rawHeaders } = c.env.incoming;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const surface = surfaceOf(target);
  const started = gate.clock.now();
  gate.metrics.exchanges.inc({ route: target.route ?? NO_ROUTE, surface, verdict: 'passthrough' });
  const response = await relay(
    gate,
    {
      method: c.req.method,
      path: target.endpoint,
      query: target.query,
      headers: rawHeaders,
      body: bytes ?? (hasBody ? c.env.incoming : null),
      signal: abort.signal,
    },
    [['x-portcullis-verdict', 'passthrough']],
    requestId,
    c.env.outgoing,
  );
  gate.log.info(
    {
      route: target.route ?? null,
      surface,
      verdict: 'passthrough',
      status: response === RESPONSE_ALREADY_SENT ? c.env.outgoing.statusCode : response.status,
      ms: Math.round(gate.clock.now() - started),
      request_id: requestId,
    },
    'exchange',
  );
  return response;
}

function refused(
  gate: Gate,
  { target, requestId }: Incoming,
  contract: Contract | undefined,
  fault: RequestFault,
): Response {
  const request = { route: target.route, contract, surface: surfaceOf(target), requestId };
  return toResponse(refuseRequest(gate, request, fault));
}

function surfaceOf({ endpoint }: Target): 'chat' | 'other' {
  return isEnforced(endpoint) ? 'chat' : 'other';
}

function routesText(gate: Gate, route: string): string {
  const names = gate.registry.list().map((state) => state.route);
  return `"${route}" is none of the routes (${names.slice(0, 20).join(', ') || 'there are none'})`;
}

function issuesText(issues: readonly ContractIssue[]): string {
  return issues
    .slice(0, 5)
    .map(({ place, message }) => `${place}: ${message}`)
    .join('; ');
}
