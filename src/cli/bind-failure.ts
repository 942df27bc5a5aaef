/** Why could a plane not listen? The address, the reason, and the flag that chooses another. */

import type { Config } from './config.ts';

/** One line for people, from node's error; its own text is not shown. */
export function bindFailure(
  error: unknown,
  config: Pick<Config, 'host' | 'adminHost' | 'adminPort'>,
): string {
  const failure = error as { readonly code?: string; readonly port?: number; readonly hostname?: string };
  const { code, port, hostname } = failure;
  // A host name that does not resolve has no port to tell the planes apart by.
  const admin = port === undefined ? hostname === config.adminHost : port === config.adminPort;
  const prefix = admin ? '--admin-' : '--';
  const host = admin ? config.adminHost : config.host;
  const where = `the ${admin ? 'admin' : 'data'} plane cannot listen on ${host}${port === undefined ? '' : `:${port}`}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${where}: the port is in use; choose another with ${prefix}port`;
    case 'EACCES':
      return `${where}: this user may not use the port; choose another with ${prefix}port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${where}: it is no address of this machine; choose another with ${prefix}host`;
    default:
      return `${where} (${code ?? 'unknown reason'}); choose another address with ${prefix}host and ${prefix}port`;
  }
}
