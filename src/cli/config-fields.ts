/** Which settings are there, and what may each hold? A setting's name gives its flag and its variable. */

import { isIP } from 'node:net';
import { z } from 'zod';

const PORT = 'must be a whole number from 0 to 65535';
const HOST = 'must be an IP address or a host name';
const KEYS = 'must be one or more keys, each one word of printable ASCII, separated by commas';

const port = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], PORT)
  .pipe(z.int(PORT).min(0, PORT).max(65_535, PORT));
const host = z.string(HOST).refine((text) => isIP(text) !== 0 || /^[a-zA-Z0-9.-]+$/.test(text), HOST);
const secret = z
  .string('must be a word')
  .regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters');
const keyList = z
  .union(
    [z.string().transform((text) => text.split(',').map((key) => key.trim())), z.array(z.string())],
    KEYS,
  )
  .pipe(z.array(z.string().regex(/^[\x21-\x2b\x2d-\x7e]+$/, KEYS)).min(1, KEYS));

/** The base URL, without a slash at the end of its path. */
const upstreamUrl = z.string('must be a URL').transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/\/v1\/?$/.test(url.pathname)) {
    return mistaken(context, 'must be an http or https URL whose path ends in /v1');
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return mistaken(context, 'must hold no user name, password or fragment; a key goes into upstream_key');
  }
  url.pathname = url.pathname.replace(/\/$/, '');
  return url;
});

function mistaken(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** Every setting, under its name in the file. */
export const CONFIG_FIELDS = {
  upstream: upstreamUrl as z.ZodType<URL>,
  upstream_key: secret as z.ZodType<string>,
  host: host as z.ZodType<string>,
  port: port as z.ZodType<number>,
  admin_host: host as z.ZodType<string>,
  admin_port: port as z.ZodType<number>,
  admin_token: secret as z.ZodType<string>,
  client_keys: keyList as z.ZodType<readonly string[]>,
  contracts: z.string('must be a folder').min(1, 'must be a folder') as z.ZodType<string>,
  store: z.literal('memory:', 'must be memory:, the only store in this version') as z.ZodType<string>,
  workers: z.union([z.literal(1), z.literal('1')], 'must be 1 in this version') as z.ZodType<unknown>,
  log_level: z.enum(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
    'must be fatal, error, warn, info, debug or silent',
  ) as z.ZodType<string>,
} as const;

export type ConfigField = keyof typeof CONFIG_FIELDS;

export const CONFIG_NAMES: readonly ConfigField[] = Object.keys(CONFIG_FIELDS) as ConfigField[];

/** The flags of `serve` that take a value, without the dashes. */
export const CONFIG_FLAGS: readonly string[] = [...CONFIG_NAMES.map(flagOf), 'config'];

const SECRETS: ReadonlySet<ConfigField> = new Set(['upstream_key', 'admin_token', 'client_keys']);

/** `admin_port` is `--admin-port` on the command line. */
export function flagOf(name: ConfigField): string {
  return name.replaceAll('_', '-');
}

/** `admin_port` is `PORTCULLIS_ADMIN_PORT` in the environment. */
export function variableOf(name: ConfigField): string {
  return `PORTCULLIS_${name.toUpperCase()}`;
}

/** A mistaken value as it may be shown: never a secret, nor the parts of a URL that may hold one. */
export function shownValue(name: ConfigField, value: unknown): string {
  if (SECRETS.has(name) || (typeof value === 'object' && value !== null)) return '';
  const text = JSON.stringify(value) ?? '';
  if (name !== 'upstream') return ` ${text}`;
  return ` ${text.replace(/\/\/.*@/, '//…@').replace(/[?#].*(?=")/, '?…')}`;
}
