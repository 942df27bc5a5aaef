import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { APICallError, generateText, Output, streamText } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Started, startPortcullis } from '../support/portcullis.ts';
import { answer, completionBody, type Script, ScriptedUpstream, says } from '../support/scripted-upstream.ts';

/** What every client asks for. */
const note = z.object({ t: z.string(), n: z.number().nullable() });
const NOTE = {
  reply: {
    type: 'object',
    properties: { t: { type: 'string' }, n: { type: ['number', 'null'] } },
    required: ['t', 'n'],
    additionalProperties: false,
  },
};
const GOOD = '{"t":"alpha","n":null}';

/** How a call ended, as its SDK tells it. */
interface Ended {
  readonly value?: unknown;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly retryAfter?: string | undefined;
}

interface Client {
  readonly name: string;
  call(baseURL: string, signal: AbortSignal): Promise<Ended>;
}

let upstream: ScriptedUpstream;
let portcullis: Started;
/** Counts what the SDK itself sends, in front of the proxy. */
let counter: Counter;

class Counter {
  requests = 0;
  readonly server: Server;

  constructor(target: () => string) {
    this.server = createServer((request, response) => {
      this.requests += 1;
      const pieces: Buffer[] = [];
      const abort = new AbortController();
      response.once('close', () => abort.abort());
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.once('end', () => {
        const headers = {
          'content-type': 'application/json',
          authorization: String(request.headers.authorization),
        };
        fetch(`${target()}${request.url}`, {
          method: 'POST',
          headers,
          body: Buffer.concat(pieces),
          signal: abort.signal,
        })
          .then(async (answered) => {
            response.writeHead(
              answered.status,
              Object.fromEntries(
                [...answered.headers].filter(
                  ([name]) => name !== 'content-length' && name !== 'transfer-encoding',
                ),
              ),
            );
            for await (const piece of answered.body ?? []) response.write(piece);
            response.end();
          })
          .catch(() => response.destroy());
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

beforeAll(async () => {
  upstream = await ScriptedUpstream.start();
  portcullis = await startPortcullis(upstream.url, { note: NOTE });
  counter = new Counter(() => portcullis.dataUrl);
  const { promise, resolve } = Promise.withResolvers<void>();
  counter.server.listen(0, '127.0.0.1', resolve);
  await promise;
});
afterAll(async () => {
  await portcullis.close();
  await upstream.close();
  counter.server.close();
  counter.server.closeAllConnections();
});

const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];

/** An openai client with its default retries, but for upstream errors, which the tests look at once. */
function openai(baseURL: string): OpenAI {
  return new OpenAI({ baseURL, apiKey: 'k' });
}

async function openaiEnded(run: () => Promise<unknown>): Promise<Ended> {
  try {
    return { value: await run() };
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    return {
      status: error.status,
      code: error.code ?? undefined,
      retryAfter: error.headers?.get('retry-after') ?? undefined,
    };
  }
}

function aiModel(
  baseURL: string,
  supportsStructuredOutputs: boolean,
): ReturnType<ReturnType<typeof createOpenAICompatible>> {
  return createOpenAICompatible({ name: 'portcullis', baseURL, apiKey: 'k', supportsStructuredOutputs })('m');
}

async function aiEnded(run: () => Promise<unknown>): Promise<Ended> {
  try {
    return { value: await run() };
  } catch (error) {
    const cause = (error as { lastError?: unknown }).lastError ?? error;
    if (!APICallError.isInstance(cause)) throw error;
    const body = JSON.parse(cause.responseBody ?? '{}') as { error?: { code?: string } };
    return {
      status: cause.statusCode,
      code: body.error?.code,
      retryAfter: cause.responseHeaders?.['retry-after'],
    };
  }
}

async function langchainEnded(run: () => Promise<unknown>): Promise<Ended> {
  try {
    return { value: await run() };
  } catch (error) {
    const { status, code, headers } = error as { status?: number; code?: string; headers?: Headers };
    if (status === undefined) throw error;
    return { status, code, retryAfter: headers?.get('retry-after') ?? undefined };
  }
}

const CLIENTS: readonly Client[] = [
  {
    name: 'openai create',
    call: async (baseURL, signal) =>
      await openaiEnded(async () => {
        const made = await openai(baseURL).chat.completions.create(
          { model: 'm', messages: MESSAGES },
          { signal },
        );
        return JSON.parse(made.choices[0]?.message.content ?? '');
      }),
  },
  {
    name: 'openai create, streamed',
    call: async (baseURL, signal) =>
      await openaiEnded(async () => {
        const stream = await openai(baseURL).chat.completions.create(
          { model: 'm', messages: MESSAGES, stream: true },
          { signal },
        );
        let text = '';
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
        return JSON.parse(text);
      }),
  },
  {
    name: 'openai parse',
    call: async (baseURL, signal) =>
      await openaiEnded(async () => {
        const format = zodResponseFormat(note, 'note');
        const made = await openai(baseURL).chat.completions.parse(
          { model: 'm', messages: MESSAGES, response_format: format },
          { signal },
        );
        return made.choices[0]?.message.parsed;
      }),
  },
  {
    name: 'openai stream helper',
    call: async (baseURL, signal) =>
      await openaiEnded(async () => {
        const format = zodResponseFormat(note, 'note');
        const stream = openai(baseURL).chat.completions.stream(
          { model: 'm', messages: MESSAGES, response_format: format },
          { signal },
        );
        return (await stream.finalChatCompletion()).choices[0]?.message.parsed;
      }),
  },
  ...[true, false].map(
    (structured): Client => ({
      name: `ai generateText with Output.object, ${structured ? 'with' : 'without'} structured outputs`,
      call: async (baseURL, abortSignal) =>
        await aiEnded(async () => {
          const made = await generateText({
            model: aiModel(baseURL, structured),
            prompt: 'Hello',
            output: Output.object({ schema: note }),
            abortSignal,
          });
          return made.output;
        }),
    }),
  ),
  {
    name: 'ai streamText with Output.object',
    call: async (baseURL, abortSignal) =>
      await aiEnded(async () => {
        const failed = Promise.withResolvers<never>();
        const made = streamText({
          model: aiModel(baseURL, true),
          prompt: 'Hello',
          output: Output.object({ schema: note }),
          abortSignal,
          onError: ({ error }) => failed.reject(error),
          onAbort: () => failed.reject(new Error('aborted')),
        });
        const output = Promise.resolve(made.output);
        output.catch(() => undefined);
        made.consumeStream();
        return await Promise.race([failed.promise, output.catch(() => failed.promise)]);
      }),
  },
  {
    name: 'langchain invoke',
    call: async (baseURL, signal) =>
      await langchainEnded(async () => {
        const model = new ChatOpenAI({ model: 'm', apiKey: 'k', configuration: { baseURL } });
        return JSON.parse(String((await model.invoke('Hello', { signal })).content));
      }),
  },
  ...(['jsonSchema', 'jsonMode'] as const).map(
    (method): Client => ({
      name: `langchain withStructuredOutput ${method}`,
      call: async (baseURL, signal) =>
        await langchainEnded(async () => {
          const model = new ChatOpenAI({ model: 'm', apiKey: 'k', configuration: { baseURL } });
          return await model.withStructuredOutput(note, { method }).invoke('Hello JSON', { signal });
        }),
    }),
  ),
  {
    name: 'langchain stream',
    call: async (baseURL, signal) =>
      await langchainEnded(async () => {
        const model = new ChatOpenAI({ model: 'm', apiKey: 'k', configuration: { baseURL } });
        let text = '';
        for await (const chunk of await model.stream('Hello', { signal })) text += String(chunk.content);
        return JSON.parse(text);
      }),
  },
];

const VALUES: readonly (readonly [string, readonly Script[], number])[] = [
  ['a verified reply', [says(GOOD)], 1],
  ['a repaired reply', [says(`\`\`\`json\n${GOOD}\n\`\`\``)], 1],
  ['a corrected reply', [says('{"t":"alpha","t":"beta","n":null}'), says(GOOD)], 2],
  ['a continued reply', [says(GOOD.slice(0, 12), 'length'), says(GOOD.slice(12))], 2],
];

for (const client of CLIENTS) {
  describe(client.name, () => {
    for (const [name, scripts, calls] of VALUES) {
      it(`gets ${name}`, async () => {
        upstream.script(...scripts);
        counter.requests = 0;
        const ended = await client.call(`${counter.url}/note/v1`, new AbortController().signal);
        expect(ended).toEqual({ value: { t: 'alpha', n: null } });
        expect(upstream.seen).toHaveLength(calls);
        expect(counter.requests).toBe(1);
      });
    }

    it('gets a refusal with exactly one try of its own', async () => {
      upstream.script(says('{"t":1,"n":null}'));
      counter.requests = 0;
      const ended = await client.call(`${counter.url}/note/v1`, new AbortController().signal);
      expect(ended).toMatchObject({ status: 400, code: 'wrong_type' });
      expect(counter.requests).toBe(1);
      expect(upstream.seen).toHaveLength(2);
    });

    it('tries again after a 429 when it is told to, and gets the reply', async () => {
      upstream.script(
        answer(429, '{"error":{"message":"slow","code":"slow"}}', {
          'retry-after': '0',
          'retry-after-ms': '1',
        }),
        says(GOOD),
      );
      counter.requests = 0;
      const ended = await client.call(`${counter.url}/note/v1`, new AbortController().signal);
      expect(ended).toEqual({ value: { t: 'alpha', n: null } });
      expect(counter.requests).toBe(2);
      expect(upstream.seen).toHaveLength(2);
    });

    it('cancels the upstream call by its abort', async () => {
      upstream.script(() => undefined);
      const abort = new AbortController();
      const ended = client.call(`${counter.url}/note/v1`, abort.signal).catch(() => 'aborted');
      await upstream.requests(1);
      abort.abort();
      await upstream.seen[0]?.gone;
      await ended;
      expect(upstream.seen).toHaveLength(1);
    });
  });
}

describe('a refusal after the status line', () => {
  it('is an API error with its code for the openai SDK', async () => {
    const hasty = await startPortcullis(upstream.url, { note: NOTE }, { holdStatusMs: 1 });
    const gate = Promise.withResolvers<void>();
    upstream.script(async (request, response) => {
      await gate.promise;
      await says('{"t":1,"n":null}')(request, response);
    });
    const stream = await openai(`${hasty.dataUrl}/note/v1`).chat.completions.create({
      model: 'm',
      messages: MESSAGES,
      stream: true,
    });
    gate.resolve();
    const chunks: unknown[] = [];
    const ended = await openaiEnded(async () => {
      for await (const chunk of stream) chunks.push(chunk);
    });
    expect(ended).toMatchObject({ code: 'wrong_type' });
    expect(chunks).toEqual([]);
    await hasty.close();
  });

  it('shows the openai SDK everything of a refusal', async () => {
    upstream.script(
      answer(200, completionBody([{ content: '{"t":1,"n":null}' }]), { 'x-request-id': 'up-9' }),
    );
    const error = await openai(`${portcullis.dataUrl}/note/v1`)
      .chat.completions.create({ model: 'm', messages: MESSAGES })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      code: 'wrong_type',
      type: 'invalid_reply_error',
      param: 't',
      requestID: 'up-9',
      error: { portcullis: { calls: 2, route: 'note' } },
    });
  });
});
