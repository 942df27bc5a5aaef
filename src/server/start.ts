/** How do the two planes start and stop? They listen, and on closing let running exchanges end first. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { MemoryRefusalLog } from '../store/refusal-log.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { HttpUpstream } from '../transport/http-upstream.ts';
import { adminPlane } from './admin-plane.ts';
import { problemAnswer, toResponse } from './answer.ts';
import { dataPlane } from './data-plane.ts';
import type { Gate } from './gate.ts';
import { Running } from './running.ts';
import type { Planes, ServeOptions } from './serve-options.ts';

/** Longest time in which a request may arrive: large files are uploaded through the proxy. Headers keep node's limit. */
const REQUEST_TIMEOUT_MS = 3_600_000;

/** Starts both planes; rejects with node's own error where an address cannot be had (`EADDRINUSE` and the like). */
export async function startPlanes(options: ServeOptions): Promise<Planes> {
  const gate: Gate = {
    options,
    registry: options.registry,
    upstream: new HttpUpstream(options.upstream),
    metrics: new Metrics(),
    refusals: new MemoryRefusalLog(),
    log: options.log,
    clock: performance,
    running: new Running(),
  };
  for (const state of options.registry.list()) {
    if (state.state !== 'active') continue;
    gate.metrics.contractInfo.set({ route: state.route, fingerprint: state.contract.fingerprint }, 1);
  }
  const data = await listen(dataPlane(gate), options.host, options.port);
  const admin = await listen(adminPlane(gate), options.adminHost, options.adminPort).catch(
    async (error: unknown) => {
      await stop(data);
      throw error;
    },
  );
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    data.close();
    await gate.running.drain(options.drainMs);
    await Promise.all([stop(data), stop(admin), gate.upstream.close()]);
  };
  return {
    dataUrl: urlOf(data),
    adminUrl: urlOf(admin),
    close: async (): Promise<void> => {
      closing ??= close();
      await closing;
    },
  };
}

async function listen(app: Hono<{ Bindings: HttpBindings }>, host: string, port: number): Promise<Server> {
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // Only a request target that makes no URL gets here; exceptions of the applications are theirs to answer.
    errorHandler: () => toResponse(problemAnswer('not_found', 'the request target is not a path')),
  });
  const server = createServer(listener);
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  server.off('error', reject);
  return server;
}

async function stop(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (!server.listening) resolve();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
