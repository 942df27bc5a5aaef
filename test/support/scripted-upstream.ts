import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the upstream saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON. */
  json(): Record<string, unknown>;
  /** Resolves once the client has gone before the answer was whole. */
  readonly gone: Promise<void>;
}

/** Answers one request; the response may be left open, or its socket destroyed. */
export type Script = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** A real HTTP server that answers by script: each request takes the next one, the last answers all that follow. */
export class ScriptedUpstream {
  readonly seen: SeenRequest[] = [];
  private readonly scripts: Script[] = [];
  private readonly server: Server;
  private readonly waiting: (() => void)[] = [];

  private constructor() {
    this.server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      const gone = Promise.withResolvers<void>();
      response.once('close', () => {
        if (!response.writableFinished) gone.resolve();
      });
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.once('end', () => {
        const body = Buffer.concat(pieces);
        const seen: SeenRequest = {
          method: request.method ?? '',
          url: request.url ?? '',
          headers: request.headers,
          body,
          json: () => JSON.parse(body.toString('utf8')) as Record<string, unknown>,
          gone: gone.promise,
        };
        this.seen.push(seen);
        for (const wake of this.waiting.splice(0)) wake();
        const script = this.scripts.length > 1 ? this.scripts.shift() : this.scripts[0];
        if (script === undefined) response.writeHead(500).end('no script');
        else Promise.resolve(script(seen, response)).catch(() => response.destroy());
      });
    });
  }

  static async start(): Promise<ScriptedUpstream> {
    const upstream = new ScriptedUpstream();
    const { promise, resolve } = Promise.withResolvers<void>();
    upstream.server.listen(0, '127.0.0.1', resolve);
    await promise;
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Replaces the scripts and forgets what was seen. */
  script(...scripts: readonly Script[]): void {
    this.scripts.splice(0, this.scripts.length, ...scripts);
    this.seen.length = 0;
  }

  /** Resolves once this many requests have come. */
  async requests(count: number): Promise<void> {
    while (this.seen.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push(resolve);
      await promise;
    }
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.server.close(() => resolve());
    this.server.closeAllConnections();
    await promise;
  }
}

/** A whole answer: status, body, headers. */
export function answer(status: number, body: string | Buffer, headers: Record<string, string> = {}): Script {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}

export interface Said {
  readonly content?: string | null;
  readonly finish?: string | null;
  readonly refusal?: string;
  readonly extra?: Record<string, unknown>;
}

/** The body of a chat completion with these choices. */
export function completionBody(choices: readonly Said[], usage: unknown = usageOf(5, 7)): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: choices.map(({ content = null, finish = 'stop', refusal, extra }, index) => ({
      index,
      message: { role: 'assistant', content, refusal: refusal ?? null, ...extra },
      logprobs: null,
      finish_reason: finish,
    })),
    usage,
  });
}

export function usageOf(prompt: number, completion: number): Record<string, unknown> {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    completion_tokens_details: { reasoning_tokens: 1 },
  };
}

/** An event stream of these pieces of text, ended properly. */
export function streamBody(pieces: readonly string[], finish = 'stop', usage?: unknown): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  const deltas = pieces.map((content) =>
    event({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  );
  const end = event({ ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  const counted = usage === undefined ? '' : event({ ...head, choices: [], usage });
  return `${deltas.join('')}${end}${counted}data: [DONE]\n\n`;
}

/** Says `content`, as a stream where the request asks for one. */
export function says(content: string, finish = 'stop'): Script {
  return (request, response) => {
    const usage = usageOf(5, 7);
    if (request.json().stream === true) {
      const pieces = content.match(/[\s\S]{1,7}/g) ?? [];
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamBody(pieces, finish, usage));
    } else {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(completionBody([{ content, finish }], usage));
    }
  };
}
