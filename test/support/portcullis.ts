import { Writable } from 'node:stream';
import pino from 'pino';
import { compileContract } from '../../src/contract/compile-contract.ts';
import { registryOf } from '../../src/registry/contract-folder.ts';
import type { RouteState } from '../../src/registry/registry.ts';
import type { Planes, ServeOptions } from '../../src/server/serve-options.ts';
import { startPlanes } from '../../src/server/start.ts';

/** A real Portcullis on free ports, its log in memory. */
export interface Started extends Planes {
  /** Everything that was logged. */
  log(): string;
  /** Posts a chat completion to a route, or to none. */
  chat(route: string | undefined, body: unknown, init?: RequestInit): Promise<Response>;
}

/** The contract that most tests use: `{"t": string, "n"?: integer}`. */
export const NOTE: unknown = {
  reply: {
    type: 'object',
    properties: { t: { type: 'string' }, n: { type: 'integer' } },
    required: ['t'],
    additionalProperties: false,
  },
};

export async function startPortcullis(
  upstream: string,
  contracts: Readonly<Record<string, unknown>> = { note: NOTE },
  options: Partial<ServeOptions> = {},
): Promise<Started> {
  let logged = '';
  const sink = new Writable({
    write(piece: Buffer, _encoding, done): void {
      logged += piece.toString('utf8');
      done();
    },
  });
  const planes = await startPlanes({
    host: '127.0.0.1',
    port: 0,
    adminHost: '127.0.0.1',
    adminPort: 0,
    adminToken: undefined,
    clientKeys: undefined,
    upstream: { url: new URL(upstream), key: undefined, headersTimeoutMs: 5000, bodyTimeoutMs: 5000 },
    registry: registryOf(Object.entries(contracts).map(([route, definition]) => stateOf(route, definition))),
    log: pino({ level: 'info' }, sink),
    maxRequestBytes: 1_000_000,
    holdStatusMs: 5000,
    commentEveryMs: 5000,
    drainMs: 5000,
    ...options,
  });
  return {
    ...planes,
    log: () => logged,
    chat: async (route, body, init = {}) =>
      await fetch(`${planes.dataUrl}${route === undefined ? '' : `/${route}`}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer client-secret' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
      }),
  };
}

function stateOf(route: string, definition: unknown): RouteState {
  const compiled = compileContract(definition, route);
  if (!compiled.ok) return { state: 'broken', route, source: 'test', issues: compiled.issues };
  return { state: 'active', route, source: 'test', contract: compiled.contract };
}

/** A chat request body. */
export function ask(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...more };
}
