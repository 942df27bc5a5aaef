/** How does the proxy run as a process? Settings, contracts, upstream, planes, a banner, and an orderly end. */

import pino, { type Logger } from 'pino';
import { DEMO_MODELS } from '../demo/demo-models.ts';
import { type DemoUpstream, startDemoUpstream } from '../demo/demo-upstream.ts';
import type { Registry } from '../registry/registry.ts';
import type { Planes } from '../server/serve-options.ts';
import { startPlanes } from '../server/start.ts';
import { banner } from './banner.ts';
import { bindFailure } from './bind-failure.ts';
import { type Config, readConfig } from './config.ts';
import { startingContracts } from './contracts.ts';
import { inert } from './inert.ts';

const MAX_REQUEST_BYTES = 33_554_432;
const HOLD_STATUS_MS = 15_000;
const COMMENT_EVERY_MS = 10_000;
const DRAIN_MS = 10_000;
const UPSTREAM_TIMEOUT_MS = 600_000;
/** One Ctrl-C comes twice under npm: from the terminal, and handed on by npm. */
const SAME_SIGNAL_MS = 500;
const FAILED = 1;
const MISTAKEN = 2;

/** Runs until a signal ends it. Returns the exit code: 0 after a signal, 1 where it cannot start, 2 for settings. */
export async function serve(flags: Readonly<Record<string, string | undefined>>): Promise<number> {
  const read = readConfig(flags, process.env);
  if (!read.ok) return complain(MISTAKEN, 'the settings have mistakes; nothing was started', read.mistakes);
  const { config } = read;
  const { contracts: folder, contractsGiven: named } = config;
  const registry = await startingContracts({ folder, named, demo: config.upstream === undefined });
  if (registry === undefined) {
    return complain(MISTAKEN, `contracts ${JSON.stringify(folder)}: there is no folder that can be read`);
  }
  const stopped = stopSignal();
  // Written at once, so that nothing is lost when the process ends.
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const demo = config.upstream === undefined ? await startDemoUpstream() : undefined;
  try {
    const planes = await start(config, registry, demo, log);
    if (typeof planes === 'string') return complain(FAILED, planes);
    warn(config, registry, log);
    const models = demo === undefined ? undefined : DEMO_MODELS;
    process.stdout.write(banner({ ...planes, upstream: config.upstream, routes: registry.list(), models }));
    await stopped;
    log.info({ drain_ms: DRAIN_MS }, 'stopping: running exchanges may end');
    await planes.close();
    return 0;
  } finally {
    await demo?.close();
  }
}

/** Starts both planes, or says why they cannot listen. */
async function start(
  config: Config,
  registry: Registry,
  demo: DemoUpstream | undefined,
  log: Logger,
): Promise<Planes | string> {
  const { host, port, adminHost, adminPort, adminToken, clientKeys, upstreamKey } = config;
  const url = config.upstream ?? (demo === undefined ? undefined : new URL(demo.url));
  if (url === undefined) return 'there is no upstream';
  try {
    return await startPlanes({
      host,
      port,
      adminHost,
      adminPort,
      adminToken,
      clientKeys,
      upstream: {
        url,
        key: upstreamKey,
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
    return bindFailure(error, config);
  }
}

function warn(config: Config, registry: Registry, log: Logger): void {
  if (config.upstreamKey !== undefined && config.clientKeys === undefined) {
    log.warn('every client on this machine may spend the upstream_key: no client_keys are set');
  }
  if (registry.list().length === 0) log.warn({ folder: config.contracts }, 'no route is registered');
  for (const state of registry.list()) {
    if (state.state === 'active') continue;
    for (const { place, message } of state.issues) {
      log.error({ route: state.route, source: state.source, place }, `contract not active: ${message}`);
    }
  }
}

function complain(code: number, message: string, lines: readonly string[] = []): number {
  const list = lines.map((line) => `  ${inert(line)}\n`).join('');
  process.stderr.write(`portcullis serve: ${inert(message)}\n${list}`);
  return code;
}

/** Resolves on the first SIGTERM or SIGINT; a further one ends the process at once. */
async function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      const now = performance.now();
      firstAt ??= now;
      if (now - firstAt > SAME_SIGNAL_MS) process.exit(FAILED);
      resolve();
    });
  }
  await promise;
}
