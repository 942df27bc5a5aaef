/**
 * With which settings does the proxy start? Flags over environment over `portcullis.yaml`, checked as a whole: each
 * mistake names the field, where its value came from and what is allowed, and nothing starts.
 */

import type { z } from 'zod';
import {
  CONFIG_FIELDS,
  CONFIG_NAMES,
  type ConfigField,
  flagOf,
  shownValue,
  variableOf,
} from './config-fields.ts';
import { type Given, readConfigFile } from './config-file.ts';

/** The checked settings. */
export interface Config {
  /** Undefined: the embedded demo upstream. */
  readonly upstream: URL | undefined;
  readonly upstreamKey: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
  readonly adminToken: string | undefined;
  readonly clientKeys: ReadonlySet<string> | undefined;
  readonly contracts: string;
  /** False where the folder is the default one, which may be missing. */
  readonly contractsGiven: boolean;
  readonly logLevel: string;
}

/** `mistakes` are lines for people; they hold no secret. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly mistakes: readonly string[] };

type Words = Readonly<Record<string, string | undefined>>;
type Values = { readonly [Name in ConfigField]?: z.output<(typeof CONFIG_FIELDS)[Name]> };

/** Reads and checks all settings. `flags` are the command line's, without dashes. */
export function readConfig(flags: Words, env: Words): ConfigResult {
  const file = readConfigFile(flags.config);
  const mistakes = [...file.mistakes];
  const origins = new Map<ConfigField, string>();
  const values: Record<string, unknown> = {};
  for (const name of CONFIG_NAMES) {
    const given = pick(name, flags, env) ?? file.given.get(name);
    if (given === undefined) continue;
    origins.set(name, given.origin);
    const parsed = CONFIG_FIELDS[name].safeParse(given.value);
    if (parsed.success) values[name] = parsed.data;
    else {
      const allowed = parsed.error.issues[0]?.message ?? 'is mistaken';
      mistakes.push(`${name}${shownValue(name, given.value)} (${given.origin}): ${allowed}`);
    }
  }
  const config = configOf(values as Values);
  mistakes.push(...unsafe(config, origins));
  return mistakes.length > 0 ? { ok: false, mistakes } : { ok: true, config };
}

function configOf(values: Values): Config {
  return {
    upstream: values.upstream,
    upstreamKey: values.upstream_key,
    host: values.host ?? '127.0.0.1',
    port: values.port ?? 8787,
    adminHost: values.admin_host ?? '127.0.0.1',
    adminPort: values.admin_port ?? 8788,
    adminToken: values.admin_token,
    clientKeys: values.client_keys === undefined ? undefined : new Set(values.client_keys),
    contracts: values.contracts ?? 'contracts',
    contractsGiven: values.contracts !== undefined,
    logLevel: values.log_level ?? 'info',
  };
}

function pick(name: ConfigField, flags: Words, env: Words): Given | undefined {
  const flag = flags[flagOf(name)];
  if (flag !== undefined) return { value: flag, origin: `flag --${flagOf(name)}` };
  const value = env[variableOf(name)];
  // An empty variable is how many tools say that there is none.
  if (value !== undefined && value !== '') return { value, origin: `environment ${variableOf(name)}` };
  return undefined;
}

/** What is right one by one and wrong together. */
function unsafe(config: Config, origins: ReadonlyMap<ConfigField, string>): readonly string[] {
  const mistakes: string[] = [];
  const told = (name: ConfigField, value: unknown): string =>
    `${name} ${JSON.stringify(value)} (${origins.get(name) ?? 'default'})`;
  // refuse: whoever reaches the machine could spend the upstream key.
  if (!isLoopback(config.host) && config.upstreamKey !== undefined && config.clientKeys === undefined) {
    mistakes.push(`${told('host', config.host)}: beyond this machine an upstream_key needs client_keys`);
  }
  // refuse: whoever reaches the machine could read every refused reply.
  if (!isLoopback(config.adminHost) && config.adminToken === undefined) {
    mistakes.push(
      `${told('admin_host', config.adminHost)}: beyond this machine the admin plane needs an admin_token`,
    );
  }
  if (config.port === config.adminPort && config.port !== 0 && config.host === config.adminHost) {
    mistakes.push(`${told('admin_port', config.adminPort)}: must differ from port, the data plane's`);
  }
  return mistakes;
}

/** True for addresses that only this machine reaches. */
function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
