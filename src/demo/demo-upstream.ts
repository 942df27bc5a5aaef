/** How does a newcomer see every verdict without a provider? A small OpenAI-compatible server on loopback. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { chunks, completion } from './demo-answer.ts';
import { DEMO_MODELS, type DemoModel } from './demo-models.ts';
import { type DemoRequest, readDemoRequest } from './demo-request.ts';

/** A demo upstream that listens. */
export interface DemoUpstream {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** Ends it at once, with whatever it is answering. */
  close(): Promise<void>;
}

/** Starts the demo upstream on a free port of 127.0.0.1. */
export async function startDemoUpstream(): Promise<DemoUpstream> {
  const server = createServer((request, response) => {
    // The only way to fail is a client that goes away.
    answer(request, response).catch(() => response.destroy());
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
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
  const asked = readDemoRequest(await text(request));
  if (asked === undefined) {
    return send(response, 400, error('The body is no chat completion request.', 'invalid_request'));
  }
  const model = DEMO_MODELS.find(({ id }) => id === asked.model);
  if (model === undefined) {
    const known = DEMO_MODELS.map(({ id }) => id).join(', ');
    const message = `The demo has no model ${JSON.stringify(asked.model)}; it has ${known}.`;
    return send(response, 404, error(message, 'model_not_found'));
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (asked.stream) return await stream(response, model, asked, gone.signal);
  if (model.delayMs !== undefined) await wait(model.delayMs, undefined, { signal: gone.signal });
  send(response, 200, completion(model, asked));
}

/** Sends the chunks; a slow model's are spread over its delay. */
async function stream(
  response: ServerResponse,
  model: DemoModel,
  asked: DemoRequest,
  signal: AbortSignal,
): Promise<void> {
  const list = chunks(model, asked);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of list) {
    if (model.delayMs !== undefined) await wait(model.delayMs / list.length, undefined, { signal });
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

function error(message: string, code: string): unknown {
  return { error: { message, type: 'invalid_request_error', param: null, code } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
