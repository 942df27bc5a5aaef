/**
 * How are bytes exchanged with an upstream? One pool of connections, our own key where there is one, time-outs, and
 * every failure as a value. Whatever undici throws is told in our words and goes no further.
 */

import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, errors, Pool } from 'undici';
import type { UpstreamFailed } from '../refusal/upstream-fault.ts';
import { endToEnd, type RawHeaders } from './headers.ts';

/** Model calls are slow and each holds a connection. */
const MAX_CONNECTIONS = 512;

/** Where an upstream is. Times in milliseconds. */
export interface UpstreamTarget {
  /** Base URL; a query string in it is kept, the path goes before it. */
  readonly url: URL;
  readonly key: string | undefined;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
}

export interface UpstreamCall {
  readonly method: string;
  /** Below the base URL, without a leading slash: `chat/completions`. */
  readonly path: string;
  /** The client's query string without `?`. */
  readonly query: string;
  readonly headers: RawHeaders;
  readonly body: string | Uint8Array | Readable | null;
  /** True where the answer is handed on as it is, so that the client's accept-encoding holds. */
  readonly verbatim: boolean;
  readonly signal: AbortSignal;
}

export interface UpstreamResponse {
  readonly ok: true;
  readonly status: number;
  /** End-to-end headers. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Readable;
}

export type UpstreamResult = UpstreamResponse | { readonly ok: false; readonly fault: UpstreamFailed };

const NEVER_FORWARDED = new Set(['host', 'x-portcullis-contract']);
const NEVER_RETURNED = new Set(['alt-svc']);
/** Only this proxy says what it verified. */
const OURS = 'x-portcullis-';

/** One upstream and its connections. */
export class HttpUpstream {
  private readonly target: UpstreamTarget;
  private readonly pool: Pool;

  constructor(target: UpstreamTarget) {
    this.target = target;
    this.pool = new Pool(target.url.origin, {
      connections: MAX_CONNECTIONS,
      headersTimeout: target.headersTimeoutMs,
      bodyTimeout: target.bodyTimeoutMs,
    });
  }

  /** Sends one request. Faults: `unreachable`, `timeout`, `cancelled`, `invalid`. */
  async send(call: UpstreamCall): Promise<UpstreamResult> {
    try {
      const response = await this.pool.request({
        method: call.method as Dispatcher.HttpMethod,
        path: this.pathOf(call),
        headers: this.headersOf(call),
        body: call.body,
        signal: call.signal,
        responseHeaders: 'raw',
      });
      // A body that is given up errors; whoever still reads it sees that, and nobody else needs to.
      response.body.on('error', () => undefined);
      const raw = response.headers as unknown as RawHeaders;
      return {
        ok: true,
        status: response.statusCode,
        headers: endToEnd(raw.map(String), NEVER_RETURNED).filter(
          ([name, value]) => !name.startsWith(OURS) && !this.isKeyIn(value),
        ),
        body: response.body,
      };
    } catch (error) {
      return { ok: false, fault: faultOf(error, call.signal, 'unreachable') };
    }
  }

  /** True where an upstream's words repeat the key that the proxy presents, as it is or escaped as in JSON. */
  isKeyIn(words: Buffer | string): boolean {
    const { key } = this.target;
    if (key === undefined || key === '') return false;
    const text = words.toString();
    return text.includes(key) || unescaped(text).includes(key);
  }

  /** True where the proxy presents a key of its own. */
  get hasKey(): boolean {
    return this.target.key !== undefined;
  }

  /** Ends every connection, and with it the calls that still run. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private pathOf({ path, query }: UpstreamCall): string {
    const { pathname, search } = this.target.url;
    const queries = [search.slice(1), query].filter((part) => part !== '').join('&');
    return `${pathname.replace(/\/$/, '')}/${path}${queries === '' ? '' : `?${queries}`}`;
  }

  private headersOf({ headers, verbatim }: UpstreamCall): string[] {
    const drop = new Set(NEVER_FORWARDED);
    if (this.target.key !== undefined) drop.add('authorization');
    // Our own body has its own length; a body that is handed on keeps the one it came with.
    if (!verbatim) drop.add('accept-encoding').add('content-length');
    const sent = endToEnd(headers, drop).flat();
    if (this.target.key !== undefined) sent.push('authorization', `Bearer ${this.target.key}`);
    if (!verbatim) sent.push('accept-encoding', 'identity');
    return sent;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_escape, hex: string | undefined, letter: string) =>
    hex === undefined ? letter : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** A body decoded by its content-encoding, or undefined where the encoding is unknown. */
export function decodedBody(response: UpstreamResponse): Readable | undefined {
  const encoding = response.headers
    .find(([name]) => name === 'content-encoding')?.[1]
    .trim()
    .toLowerCase();
  switch (encoding) {
    case undefined:
    case '':
    case 'identity':
      return response.body;
    case 'gzip':
    case 'x-gzip':
      return pipe(response.body, createGunzip());
    case 'deflate':
      return pipe(response.body, createInflate());
    case 'br':
      return pipe(response.body, createBrotliDecompress());
    default:
      return undefined;
  }
}

/** All bytes of a body; faults as {@link faultOf}, and `too_large` past `maxBytes`. */
export async function readBody(
  body: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<
  | { readonly ok: true; readonly bytes: Buffer<ArrayBuffer> }
  | { readonly ok: false; readonly fault: UpstreamFailed }
> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) {
        body.destroy();
        return {
          ok: false,
          fault: { kind: 'too_large', detail: `the answer is longer than ${maxBytes} bytes` },
        };
      }
      pieces.push(piece);
    }
  } catch (error) {
    return { ok: false, fault: faultOf(error, signal, 'invalid') };
  }
  return { ok: true, bytes: Buffer.concat(pieces, length) };
}

/** What an exception of the client means; `otherwise` is what it means where nothing more is known. */
export function faultOf(
  error: unknown,
  signal: AbortSignal,
  otherwise: 'unreachable' | 'invalid',
): UpstreamFailed {
  if (signal.aborted) return { kind: 'cancelled', detail: 'the call was cancelled' };
  if (
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  ) {
    return { kind: 'timeout', detail: 'no answer within the time allowed' };
  }
  return otherwise === 'unreachable'
    ? { kind: 'unreachable', detail: 'no connection, or it broke before an answer came' }
    : { kind: 'invalid', detail: 'the answer broke off or could not be decoded' };
}

function pipe<Decoder extends NodeJS.WritableStream & Readable>(body: Readable, decoder: Decoder): Decoder {
  body.on('error', (error) => decoder.destroy(error));
  decoder.on('error', () => undefined);
  decoder.on('close', () => body.destroy());
  body.pipe(decoder);
  return decoder;
}
