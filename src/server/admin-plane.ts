/** Where do operators look? Metrics, health, contracts, refusals, and a reader to try replies on. */

import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { CompileResult } from '../contract/contract.ts';
import { compileEither } from '../contract/contract-or-schema.ts';
import { parseRequest } from '../openai/chat-request.ts';
import { readReply } from '../reader/read-reply.ts';
import { lineAndColumn, pathText } from '../reader/span.ts';
import { messageOf } from '../refusal/refusal.ts';
import type { RouteState } from '../registry/registry.ts';
import type { RefusalRecord } from '../store/refusal-log.ts';
import { problemAnswer, toResponse } from './answer.ts';
import { presentsKey } from './bearer.ts';
import type { Gate } from './gate.ts';
import { readRequestBody } from './request-body.ts';

type AdminContext = Context<{ Bindings: HttpBindings }>;

const ENDPOINTS = [
  'GET /metrics',
  'GET /healthz',
  'GET /readyz',
  'GET /contracts',
  'GET /contracts/{route}',
  'POST /read',
  'GET /refusals?route=&code=&since=&limit=',
  'GET /refusals/{id}',
] as const;

const readRequest = z
  .strictObject({
    text: z.string(),
    route: z.string().optional(),
    contract: z.record(z.string(), z.unknown()).optional(),
    finish_reason: z.string().nullish(),
  })
  .refine(
    ({ route, contract }) => (route === undefined) !== (contract === undefined),
    'name a route or give a contract',
  );

const listRequest = z.strictObject({
  route: z.string().optional(),
  code: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(50),
});

/** The admin plane's application. Everything but the health pages asks for the admin token, where there is one. */
export function adminPlane(gate: Gate): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const { adminToken } = gate.options;
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', (c) => {
    const ready = !gate.running.draining;
    return c.json({ status: ready ? 'ready' : 'draining', in_flight: gate.running.count }, ready ? 200 : 503);
  });
  app.use('*', async (c, next) => {
    if (adminToken === undefined || presentsKey(c.env.incoming.headers.authorization, [adminToken]))
      return await next();
    return toResponse(problemAnswer('unauthorized', 'present the admin token as a bearer token'));
  });
  app.get('/', (c) => c.text(`Portcullis admin plane\n\n${ENDPOINTS.join('\n')}\n`));
  app.get('/metrics', async (c) => {
    return c.body(await gate.metrics.registry.metrics(), 200, {
      'content-type': gate.metrics.registry.contentType,
    });
  });
  app.get('/contracts', (c) => c.json({ contracts: gate.registry.list().map(toldState) }));
  app.get('/contracts/:route', (c) => {
    const state = gate.registry.find(c.req.param('route'));
    if (state === undefined) return notFound('no such route');
    return c.json(
      state.state === 'active'
        ? { ...toldState(state), definition: state.contract.definition }
        : toldState(state),
    );
  });
  app.post('/read', async (c) => await read(gate, c));
  app.get('/refusals', (c) => list(gate, c));
  app.get('/refusals/:id', (c) => {
    const record = gate.refusals.find(c.req.param('id'));
    return record === undefined
      ? notFound('no such refusal is kept')
      : c.json({ ...told(record), replies: record.replies });
  });
  app.notFound(() => notFound(`the admin plane has ${ENDPOINTS.join(', ')}`));
  app.onError((error) => {
    gate.log.error({ error: error.name }, 'a bug: an exception in the admin plane');
    return toResponse(problemAnswer('internal_error'));
  });
  return app;
}

async function read(gate: Gate, c: AdminContext): Promise<Response> {
  const body = await readRequestBody(c.env.incoming, gate.options.maxRequestBytes);
  if (!body.ok) return toResponse(problemAnswer(body.code, body.detail));
  const request = parseRequest(body.text);
  if (!request.ok) return badRequest(request.detail, request.param);
  const parsed = readRequest.safeParse(request.json.body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return badRequest(issue?.message ?? 'not a request', issue?.path.join('.') ?? null);
  }
  const { text, route, contract: definition, finish_reason: finish } = parsed.data;
  const compiled = contractFor(gate, route, definition);
  if (compiled === undefined) return notFound('no such route');
  if (!compiled.ok) return c.json({ ok: false, issues: compiled.issues }, 400);
  const result = readReply(text, compiled.contract, { finish: finish === 'length' ? 'length' : 'stop' });
  if (result.ok) {
    return c.json({
      ok: true,
      text: result.text,
      repairs: result.repairs,
      suspect_escapes: result.suspectEscapes,
    });
  }
  const { fault } = result;
  const { line, column } = lineAndColumn(text, fault.at);
  const { code, at, key, rivals } = fault;
  return c.json({
    ok: false,
    code,
    at,
    line,
    column,
    path: pathText(fault.path),
    key,
    rivals,
    message: messageOf(code, fault),
  });
}

function contractFor(
  gate: Gate,
  route: string | undefined,
  definition: Record<string, unknown> | undefined,
): CompileResult | undefined {
  if (route === undefined) return compileEither(definition);
  const state = gate.registry.find(route);
  if (state === undefined) return undefined;
  return state.state === 'active'
    ? { ok: true, contract: state.contract }
    : { ok: false, issues: state.issues };
}

function list(gate: Gate, c: AdminContext): Response {
  const parsed = listRequest.safeParse(c.req.query());
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return badRequest(issue?.message ?? 'not a filter', issue?.path.join('.') ?? null);
  }
  const { since, ...filter } = parsed.data;
  const records = gate.refusals.list({
    ...filter,
    since: since === undefined ? undefined : Date.parse(since),
  });
  return c.json({ refusals: records.map(told) });
}

function told({ time, refusal, fingerprint, model, requestId }: RefusalRecord): Record<string, unknown> {
  const { refusalId, secondAttempt, ...rest } = refusal;
  return {
    id: refusalId,
    time: new Date(time).toISOString(),
    ...rest,
    second_attempt: secondAttempt,
    fingerprint,
    model,
    request_id: requestId,
  };
}

function toldState(state: RouteState): Record<string, unknown> {
  if (state.state === 'broken')
    return { route: state.route, state: state.state, source: state.source, issues: state.issues };
  const { contract } = state;
  return {
    route: state.route,
    state: state.state,
    source: state.source,
    fingerprint: contract.fingerprint,
    description: contract.description,
    correct: contract.correct,
    continue: contract.continue,
    repair: [...contract.repair],
  };
}

function notFound(detail: string): Response {
  return toResponse(problemAnswer('not_found', detail));
}

function badRequest(detail: string, param: string | null): Response {
  return toResponse(problemAnswer('invalid_request', detail, param === '' ? null : param));
}
