/** Where do applications come in? `/{route}/v1/…` and `/v1/…`: held to a contract, or streamed through untouched. */

import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Contract, ContractIssue } from '../contract/contract.ts';
import {
  definitionOf,
  parseRequest,
  type RequestFault,
  readChatRequest,
  unsupportedUnderContract,
} from '../openai/chat-request.ts';
import { refuse } from '../reader/fault.ts';
import { refusalOf } from '../refusal/refusal.ts';
import { NO_ROUTE } from '../telemetry/metrics.ts';
import { type Answer, newRequestId, problemAnswer, refusalAnswer, toResponse } from './answer.ts';
import { presentsKey } from './bearer.ts';
import { serveChatExchange } from './chat-exchange.ts';
import type { Gate } from './gate.ts';
import { relay } from './relay.ts';
import { readRequestBody } from './request-body.ts';
import { RequestContracts } from './request-contracts.ts';
import { cannotBypass, isEnforced, readTarget, type Target } from './target.ts';

type DataContext = Context<{ Bindings: HttpBindings }>;

/** One request on its way. */
interface Incoming {
  readonly c: DataContext;
  readonly target: Target;
  readonly abort: AbortController;
}

/** The data plane's application. */
export function dataPlane(gate: Gate): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const requestContracts = new RequestContracts();
  app.all('*', async (c) => {
    const early = admit(gate, c);
    if (early !== undefined) return toResponse(early);
    const target = targetOf(c);
    if ('status' in target) return toResponse(target);
    const { abort, end } = gate.running.start();
    gate.metrics.inFlight.inc();
    const { outgoing } = c.env;
    // Closed: the answer's last byte is out, or its client has gone.
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) abort.abort();
      gate.metrics.inFlight.dec();
      end();
    });
    return await serve(gate, requestContracts, { c, target, abort });
  });
  app.onError((error, c) => {
    // Nothing of the exception reaches the client; its text may hold a reply or a key, so the log has its name only.
    gate.log.error({ error: error.name, path: c.req.path }, 'a bug: an exception in the data plane');
    const body = {
      error: { message: 'Internal error.', type: 'server_error', code: 'internal_error', param: null },
    };
    return c.json(body, 500, { 'x-should-retry': 'false' });
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
  if (!isEnforced(endpoint)) {
    if (contract === undefined || cannotBypass(c.req.method, endpoint))
      return await pass(gate, incoming, undefined);
    const detail = `${c.req.method} v1/${endpoint} cannot be held to the contract of the route`;
    return toResponse(unsupported(gate, route, { ok: false, code: 'unsupported', detail, param: null }));
  }
  if (c.req.method !== 'POST') {
    return toResponse(problemAnswer('method_not_allowed', 'use POST', null, [['allow', 'POST']]));
  }
  const read = await readRequestBody(c.env.incoming, gate.options.maxRequestBytes);
  if (!read.ok) return toResponse(problemAnswer(read.code, read.detail));
  const parsed = parseRequest(read.text);
  if (!parsed.ok) return toResponse(unsupported(gate, route, parsed));
  const definition = contract === undefined ? definitionOf(parsed.body) : undefined;
  if (definition?.ok === false) return toResponse(unsupported(gate, route, definition));
  if (definition !== undefined) {
    const compiled = requestContracts.compile(definition.definition);
    if (!compiled.ok) {
      const detail = `the schema cannot be enforced: ${issuesText(compiled.issues)}`;
      return toResponse(problemAnswer('invalid_request', detail, 'response_format'));
    }
    contract = compiled.contract;
  }
  if (contract === undefined) return await pass(gate, incoming, read.bytes);
  const refused = unsupportedUnderContract(parsed.body);
  if (refused !== undefined) return toResponse(unsupported(gate, route, refused));
  const understood = readChatRequest(parsed.body);
  if (!understood.ok) return toResponse(unsupported(gate, route, understood));
  const { request } = understood;
  const clientHeaders = c.env.incoming.rawHeaders;
  const { abort } = incoming;
  return await serveChatExchange(gate, {
    request,
    contract,
    route,
    clientHeaders,
    query: target.query,
    abort,
  });
}

/** Streams a request through. The body is `bytes` where it has been read already. */
async function pass(gate: Gate, incoming: Incoming, bytes: Uint8Array | undefined): Promise<Response> {
  const { c, target, abort } = incoming;
  const { method } = c.req;
  const route = target.route ?? NO_ROUTE;
  const body = method === 'GET' || method === 'HEAD' ? null : (bytes ?? c.env.incoming);
  const surface = isEnforced(target.endpoint) ? 'chat' : 'other';
  gate.metrics.exchanges.inc({ route, surface, verdict: 'passthrough' });
  return await relay(
    gate,
    {
      method,
      path: target.endpoint,
      query: target.query,
      headers: c.env.incoming.rawHeaders,
      body,
      signal: abort.signal,
    },
    [['x-portcullis-verdict', 'passthrough']],
    c.env.outgoing,
  );
}

/** A request fault as its answer; one that cannot be held to a contract counts as a refusal. */
function unsupported(gate: Gate, route: string | undefined, fault: RequestFault): Answer {
  if (fault.code === 'invalid_request') return problemAnswer('invalid_request', fault.detail, fault.param);
  gate.metrics.refusals.inc({ route: route ?? NO_ROUTE, code: 'unsupported' });
  const refusal = refusalOf({
    code: 'unsupported',
    fault: {
      ...refuse('malformed', 0, fault.detail).fault,
      ...(fault.param === null ? {} : { path: [fault.param] }),
    },
    first: undefined,
    secondAttempt: undefined,
    choice: 0,
    route,
    calls: 0,
    usage: undefined,
    refusalId: newRequestId(),
  });
  return refusalAnswer(refusal, [
    ['x-portcullis-verdict', 'refused'],
    ['x-portcullis-calls', '0'],
  ]);
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
