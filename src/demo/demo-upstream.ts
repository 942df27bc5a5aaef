/** How does a newcomer see every verdict without a provider? A small OpenAI-compatible server on loopback. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { DEMO_MODELS, type DemoModel, type DemoReply } from './demo-models.ts';

export interface DemoUpstream {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

interface DemoRequest {
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly n: number;
}

/** Starts the demo upstream on a free port of 127.0.0.1. */
export async function startDemoUpstream(): Promise<DemoUpstream> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: async (): Promise<void> => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0];
  if (request.method === 'GET' && path === '/v1/models') {
    const data = DEMO_MODELS.map(({ id }) => ({ id, object: 'model', created: 0, owned_by: 'portcullis' }));
    return send(response, 200, { object: 'list', data });
  }
  if (request.method !== 'POST' || path !== '/v1/chat/completions') {
    return send(response, 404, error('There is nothing at this path of the demo.', 'not_found'));
  }
  const asked = await readRequest(request);
  if (asked === undefined)
    return send(response, 400, error('The body is no chat completion request.', 'invalid_request'));
  const model = DEMO_MODELS.find(({ id }) => id === asked.model);
  if (model === undefined) {
    const known = DEMO_MODELS.map(({ id }) => id).join(', ');
    return send(
      response,
      404,
      error(`The demo has no model "${asked.model}"; it has ${known}.`, 'model_not_found'),
    );
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (model.delayMs !== undefined) await wait(model.delayMs, undefined, { signal: gone.signal });
  if (asked.stream) stream(response, model, asked);
  else send(response, 200, completion(model, asked));
}

/** A correction or continuation shows the model its own reply: the last message but one is the assistant's. */
function replyOf(model: DemoModel, { messages }: DemoRequest): DemoReply {
  const before = messages.at(-2);
  const again =
    typeof before === 'object' && before !== null && 'role' in before && before.role === 'assistant';
  return again ? (model.second ?? model.first) : model.first;
}

function completion(model: DemoModel, asked: DemoRequest): unknown {
  const { content, finish, refusal } = replyOf(model, asked);
  return {
    ...head(model, 'chat.completion'),
    choices: Array.from({ length: asked.n }, (_, index) => ({
      index,
      message: { role: 'assistant', content, refusal: refusal ?? null },
      logprobs: null,
      finish_reason: finish,
    })),
    usage: usage(content),
  };
}

function stream(response: ServerResponse, model: DemoModel, asked: DemoRequest): void {
  const { content, finish, refusal } = replyOf(model, asked);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (choices: unknown, extra: Record<string, unknown> = {}): void => {
    response.write(
      `data: ${JSON.stringify({ ...head(model, 'chat.completion.chunk'), choices, ...extra })}\n\n`,
    );
  };
  for (let index = 0; index < asked.n; index += 1) {
    const delta = (fields: unknown, reason: string | null = null): void => {
      event([{ index, delta: fields, finish_reason: reason }]);
    };
    delta({ role: 'assistant', content: '' });
    if (refusal !== undefined) delta({ refusal });
    for (const piece of content?.match(/[\s\S]{1,16}/g) ?? []) delta({ content: piece });
    delta({}, finish);
  }
  if (asked.includeUsage) event([], { usage: usage(content) });
  response.end('data: [DONE]\n\n');
}

function head(model: DemoModel, object: string): Record<string, unknown> {
  return { id: `chatcmpl-${model.id.replace('/', '-')}`, object, created: 1_767_225_600, model: model.id };
}

function usage(content: string | null): Record<string, number> {
  const completion = Math.ceil((content ?? '').length / 4);
  return { prompt_tokens: 24, completion_tokens: completion, total_tokens: 24 + completion };
}

async function readRequest(request: IncomingMessage): Promise<DemoRequest | undefined> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { model, messages, stream: streamed, stream_options: options, n } = body;
  if (typeof model !== 'string' || !Array.isArray(messages)) return undefined;
  return {
    model,
    messages,
    stream: streamed === true,
    includeUsage: (options as { include_usage?: unknown } | undefined)?.include_usage === true,
    n: typeof n === 'number' ? n : 1,
  };
}

function error(message: string, code: string): unknown {
  return { error: { message, type: 'invalid_request_error', code, param: null } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
