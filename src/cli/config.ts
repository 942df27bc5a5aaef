/**
 * With which settings does the proxy start? Flags over environment over `portcullis.yaml`, checked as a whole: each
 * mistake names the field, where its value came from and what is allowed, and nothing starts.
 */

import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';

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

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly mistakes: readonly string[] };

const port = z.coerce
  .number('must be a port: a whole number from 0 to 65535')
  .pipe(
    z
      .int('must be a port: a whole number from 0 to 65535')
      .min(0, 'must be 0 to 65535')
      .max(65_535, 'must be 0 to 65535'),
  );
const secret = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters');
const host = z
  .string()
  .refine((value) => isIP(value) !== 0 || /^[a-zA-Z0-9.-]+$/.test(value), 'must be an address or host name');
const upstreamUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/\/v1\/?$/.test(url.pathname)) {
    context.addIssue({ code: 'custom', message: 'must be an http or https URL whose path ends in /v1' });
    return z.NEVER;
  }
  if (url.username !== '' || url.hash !== '') {
    context.addIssue({
      code: 'custom',
      message: 'must hold no user name, password or fragment; set the upstream key instead',
    });
    return z.NEVER;
  }
  return url;
});
const keyList = z
  .union([z.string().transform((text) => text.split(',').map((key) => key.trim())), z.array(z.string())])
  .pipe(z.array(secret).min(1, 'must be at least one key'));

/** Every setting: its name in the file, from which its flag and its environment variable follow. */
const FIELDS = {
  upstream: upstreamUrl,
  upstream_key: secret,
  host,
  port,
  admin_host: host,
  admin_port: port,
  admin_token: secret,
  client_keys: keyList,
  contracts: z.string().min(1, 'must be a folder'),
  store: z.literal('memory:', 'must be memory: (the only store in this version)'),
  workers: z.coerce.number().pipe(z.literal(1, 'must be 1 (the only number in this version)')),
  log_level: z.enum(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
    'must be fatal, error, warn, info, debug or silent',
  ),
} as const;

type Field = keyof typeof FIELDS;
type Values = { -readonly [Name in Field]?: z.output<(typeof FIELDS)[Name]> };

const NAMES = Object.keys(FIELDS) as readonly Field[];
const SECRETS: ReadonlySet<Field> = new Set(['upstream_key', 'admin_token', 'client_keys']);

/** The flags of `serve`, for the argument parser. */
export const CONFIG_FLAGS: Readonly<Record<string, { readonly type: 'string' }>> = Object.fromEntries(
  [...NAMES.map(flagOf), 'config'].map((flag) => [flag, { type: 'string' as const }]),
);

interface Given {
  readonly value: unknown;
  readonly origin: string;
}

/** Reads and checks all settings. `flags` are the parsed command line's. */
export function readConfig(
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
): ConfigResult {
  const mistakes: string[] = [];
  const file = readConfigFile(flags.config, mistakes);
  const values: Values = {};
  for (const name of NAMES) {
    const given = pick(name, flags, env, file);
    if (given === undefined) continue;
    const parsed = FIELDS[name].safeParse(given.value);
    if (parsed.success) Object.assign(values, { [name]: parsed.data });
    else {
      const shown = SECRETS.has(name) ? '' : ` ${JSON.stringify(given.value)}`;
      mistakes.push(`${name}${shown} (from ${given.origin}): ${parsed.error.issues[0]?.message}`);
    }
  }
  const config = configOf(values);
  mistakes.push(...unsafeBindings(config));
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

/** Whoever can reach the machine could spend the upstream key, or read every refused reply. */
function unsafeBindings(config: Config): readonly string[] {
  const mistakes: string[] = [];
  if (!isLoopback(config.host) && config.upstreamKey !== undefined && config.clientKeys === undefined) {
    mistakes.push(
      `host ${JSON.stringify(config.host)}: not a loopback address; with an upstream_key, client_keys are needed`,
    );
  }
  if (!isLoopback(config.adminHost) && config.adminToken === undefined) {
    mistakes.push(
      `admin_host ${JSON.stringify(config.adminHost)}: not a loopback address; an admin_token is needed`,
    );
  }
  return mistakes;
}

/** True for addresses that only this machine reaches. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

function pick(
  name: Field,
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
  file: ReadonlyMap<string, Given>,
): Given | undefined {
  const flag = flags[flagOf(name)];
  if (flag !== undefined) return { value: flag, origin: `flag --${flagOf(name)}` };
  const variable = `PORTCULLIS_${name.toUpperCase()}`;
  const fromEnv = env[variable];
  // An empty variable is how many tools say that there is none.
  if (fromEnv !== undefined && fromEnv !== '') return { value: fromEnv, origin: `environment ${variable}` };
  return file.get(name);
}

function readConfigFile(named: string | undefined, mistakes: string[]): ReadonlyMap<string, Given> {
  const path = named ?? 'portcullis.yaml';
  const given = new Map<string, Given>();
  if (!existsSync(path)) {
    if (named !== undefined)
      mistakes.push(`config ${JSON.stringify(named)} (from flag --config): there is no such file`);
    return given;
  }
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines, prettyErrors: false });
  for (const { message, pos } of document.errors)
    mistakes.push(`${path}:${lines.linePos(pos[0]).line}: ${message}`);
  const root: unknown = document.errors.length > 0 ? {} : (document.toJS() ?? {});
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    mistakes.push(`${path}:1: must be a mapping of settings`);
    return given;
  }
  for (const [name, value] of Object.entries(root)) {
    const node = document.get(name, true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    const line = Array.isArray(range) ? lines.linePos(range[0]).line : 1;
    if (NAMES.includes(name as Field)) given.set(name, { value, origin: `${path}:${line}` });
    else mistakes.push(`${name} (from ${path}:${line}): no such setting; there are ${NAMES.join(', ')}`);
  }
  return given;
}

function flagOf(name: string): string {
  return name.replaceAll('_', '-');
}
