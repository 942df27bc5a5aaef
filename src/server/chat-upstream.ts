/** How is one attempt of a chat exchange sent? The wire's body over the transport, and its answer as replies or a fault. */

import type { Readable } from 'node:stream';
import type { AttemptRequest, AttemptResult, Upstream } from '../exchange/upstream.ts';
import { type ChatEnvelope, invalid, readChatReply } from '../openai/chat-reply.ts';
import type { ChatRequest } from '../openai/chat-request.ts';
import { ChatStream } from '../openai/chat-stream.ts';
import { chatAttemptBody } from '../openai/chat-turns.ts';
import { upstreamErrorBody } from '../openai/error-body.ts';
import { SseDecoder } from '../openai/sse.ts';
import type { RawHeaders } from '../transport/headers.ts';
import {
  decodedBody,
  faultOf,
  type HttpUpstream,
  readBody,
  type UpstreamResponse,
} from '../transport/http-upstream.ts';
import { errorBytes, withoutBodyHeaders } from './upstream-error.ts';

/** Largest upstream body, bytes. */
const MAX_ANSWER = 33_554_432;

type Result = AttemptResult<ChatEnvelope>;

const UNREADABLE: Result = invalid('an event of the stream is too long or not UTF-8');

/** The upstream of one exchange. Keeps the headers of its first answer for the client. */
export class ChatUpstream implements Upstream<ChatEnvelope> {
  /** End-to-end headers of the first answer, less those of its body. */
  headers: readonly (readonly [string, string])[] = [];
  private readonly transport: HttpUpstream;
  private readonly request: ChatRequest;
  private readonly clientHeaders: RawHeaders;
  private readonly query: string;

  constructor(transport: HttpUpstream, request: ChatRequest, clientHeaders: RawHeaders, query: string) {
    this.transport = transport;
    this.request = request;
    this.clientHeaders = clientHeaders;
    this.query = query;
  }

  async send(attempt: AttemptRequest, signal: AbortSignal): Promise<Result> {
    const response = await this.transport.send({
      method: 'POST',
      path: 'chat/completions',
      query: this.query,
      headers: this.clientHeaders,
      body: chatAttemptBody(this.request, attempt),
      verbatim: false,
      signal,
    });
    if (!response.ok) return response;
    if (attempt.purpose === 'first') {
      this.headers = withoutBodyHeaders(response.headers).filter(([name]) => name !== 'content-type');
    }
    if (response.status < 200 || response.status > 299)
      return await readError(this.transport, response, signal);
    const body = decodedBody(response);
    if (body === undefined) {
      response.body.destroy();
      return invalid('the content-encoding of the answer is unknown');
    }
    const type = response.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
    const result = /^text\/event-stream/i.test(type)
      ? await this.readStream(body, signal)
      : await this.readWhole(body, signal);
    const asked = attempt.purpose === 'first' ? this.request.n : 1;
    // refuse: each choice may cost one more call, and the client said how many it pays for.
    return result.ok && result.reply.choices.length > asked
      ? invalid('the answer has more choices than were asked for')
      : result;
  }

  private async readWhole(body: Readable, signal: AbortSignal): Promise<Result> {
    const read = await readBody(body, MAX_ANSWER, signal);
    if (!read.ok) return read;
    const text = textOf(read.bytes);
    return text === undefined
      ? invalid('the body is not UTF-8')
      : readChatReply(text, this.request.maxTokens);
  }

  private async readStream(body: Readable, signal: AbortSignal): Promise<Result> {
    const decoder = new SseDecoder();
    const stream = new ChatStream(this.request.maxTokens);
    let length = 0;
    try {
      for await (const piece of body as AsyncIterable<Buffer>) {
        length += piece.length;
        const events = decoder.push(piece);
        if (events === undefined) return UNREADABLE;
        if (length > MAX_ANSWER) {
          return { ok: false, fault: { kind: 'too_large', detail: 'the stream is longer than is read' } };
        }
        // The reply ends with [DONE], whether or not the server closes the connection.
        if (!events.every((data) => stream.push(data))) return stream.end();
      }
    } catch (error) {
      return { ok: false, fault: faultOf(error, signal, 'invalid') };
    } finally {
      body.destroy();
    }
    const last = decoder.end();
    if (last === undefined) return UNREADABLE;
    last.every((data) => stream.push(data));
    return stream.end();
  }
}

/** The upstream's own failure: handed on as it is where its body is JSON, else told in JSON under its status. */
async function readError(
  upstream: HttpUpstream,
  response: UpstreamResponse,
  signal: AbortSignal,
): Promise<Result> {
  const { status } = response;
  if (status < 400 || status > 599) {
    response.body.destroy();
    // refuse: a client that follows a redirect gets a reply that nobody verified.
    return invalid(`the upstream answered ${status}, which is neither a reply nor an error`);
  }
  const bytes = await errorBytes(upstream, response, signal);
  if (signal.aborted) return { ok: false, fault: faultOf(undefined, signal, 'invalid') };
  const body = bytes !== undefined && isJson(bytes) ? bytes : Buffer.from(upstreamErrorBody(status));
  const headers = withoutBodyHeaders(response.headers).filter(([name]) => name !== 'content-type');
  return {
    ok: false,
    fault: { kind: 'answered', status, headers: [...headers, ['content-type', 'application/json']], body },
  };
}

function isJson(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** The text of UTF-8 bytes; undefined for others, whose letters would be guessed. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
