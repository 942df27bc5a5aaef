/** How does the proxy run as a process? Settings, contracts, upstream, planes, a banner, and an orderly end. */

import { existsSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import { DEMO_MODELS } from '../demo/demo-models.ts';
import { type DemoUpstream, startDemoUpstream } from '../demo/demo-upstream.ts';
import { loadContractFolder, registryOf } from '../registry/contract-folder.ts';
import type { Registry } from '../registry/registry.ts';
import type { Planes } from '../server/serve-options.ts';
import { startPlanes } from '../server/start.ts';
import { banner } from './banner.ts';
import { type Config, readConfig } from './config.ts';

const MAX_REQUEST_BYTES = 33_554_432;
const HOLD_STATUS_MS = 15_000;
const COMMENT_EVERY_MS = 10_000;
const DRAIN_MS = 10_000;
const UPSTREAM_TIMEOUT_MS = 600_000;

/** Runs until a signal ends it. Returns the exit code: 0 after a signal, 1 where it cannot start, 2 for settings. */
export async function serve(flags: Readonly<Record<string, string | undefined>>): Promise<number> {
  const read = readConfig(flags, process.env);
  if (!read.ok) {
    process.stderr.write(
      `portcullis: the settings have mistakes; nothing was started\n${read.mistakes.map((line) => `  ${line}\n`).join('')}`,
    );
    return 2;
  }
  const { config } = read;
  // Written at once, so that nothing is lost when the process ends.
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const registry = await loadContracts(config, log);
  if (registry === undefined) return 2;
  const stopped = stopSignal();
  const demo = config.upstream === undefined ? await startDemoUpstream() : undefined;
  const planes = await listen(config, registry, demo, log);
  if (planes === undefined) {
    await demo?.close();
    return 1;
  }
  if (config.upstreamKey !== undefined && config.clientKeys === undefined) {
    log.warn('the proxy presents its upstream key for every client of this machine: no client_keys are set');
  }
  const upstream = demo === undefined ? String(config.upstream?.origin) : 'embedded demo';
  const routes = registry.list();
  process.stdout.write(
    `${banner({ ...planes, upstream, routes, demo: demo === undefined ? undefined : DEMO_MODELS })}\n`,
  );
  await stopped;
  log.info('stopping: running exchanges may end');
  await planes.close();
  await demo?.close();
  return 0;
}

async function loadContracts(config: Config, log: Logger): Promise<Registry | undefined> {
  if (!existsSync(config.contracts)) {
    if (!config.contractsGiven) {
      log.warn({ folder: config.contracts }, 'there is no contracts folder: no route is registered');
      return registryOf([]);
    }
    process.stderr.write(
      `portcullis: contracts ${JSON.stringify(config.contracts)}: there is no such folder\n`,
    );
    return undefined;
  }
  const registry = await loadContractFolder(config.contracts);
  for (const state of registry.list()) {
    if (state.state === 'active') continue;
    for (const { place, message } of state.issues) {
      log.error({ route: state.route, source: state.source, place }, `contract not active: ${message}`);
    }
  }
  return registry;
}

async function listen(
  config: Config,
  registry: Registry,
  demo: DemoUpstream | undefined,
  log: Logger,
): Promise<Planes | undefined> {
  const { host, port, adminHost, adminPort, adminToken, clientKeys } = config;
  try {
    return await startPlanes({
      host,
      port,
      adminHost,
      adminPort,
      adminToken,
      clientKeys,
      upstream: {
        url: demo === undefined ? (config.upstream ?? new URL('http://localhost/v1')) : new URL(demo.url),
        key: config.upstreamKey,
        headersTimeoutMs: UPSTREAM_TIMEOUT_MS,
        bodyTimeoutMs: UPSTREAM_TIMEOUT_MS,
      },
      registry,
      log,
      maxRequestBytes: MAX_REQUEST_BYTES,
      holdStatusMs: HOLD_STATUS_MS,
      commentEveryMs: COMMENT_EVERY_MS,
      drainMs: DRAIN_MS,
    });
  } catch (error) {
    process.stderr.write(`portcullis: ${bindText(error)}\n`);
    return undefined;
  }
}

/** Why an address could not be had. */
function bindText(error: unknown): string {
  const { code, address, port } = error as { code?: string; address?: string; port?: number };
  const where = `${address ?? 'the address'}:${port ?? '?'}`;
  const advice = 'choose others with --host, --port, --admin-host and --admin-port';
  if (code === 'EADDRINUSE') return `${where} is in use by another process; ${advice}`;
  if (code === 'EACCES') return `${where} may not be used by this user; ${advice}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${where} is no address of this machine; ${advice}`;
  return `cannot listen on ${where} (${code ?? 'unknown reason'}); ${advice}`;
}

/** Resolves on the first SIGTERM or SIGINT; a second one ends the process at once. */
async function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(1);
      resolve();
    });
  }
  await promise;
}
