/**
 * What does a data plane path ask for? A route or none, and an endpoint below `v1/`. The path is taken as it was sent:
 * a spelling that an upstream might read as an enforced endpoint is not forwarded.
 */

/** A path that can be served. */
export interface Target {
  readonly route: string | undefined;
  /** Below `v1/`: `chat/completions`. */
  readonly endpoint: string;
  readonly query: string;
}

const PATH = /^\/(?:([a-z0-9-]{1,64})\/)?v1\/([^?#]*)(?:\?([^#]*))?$/;
const ENFORCED: ReadonlySet<string> = new Set(['chat/completions']);

/** Reads the request target of an HTTP request; undefined where nothing is served there. */
export function readTarget(url: string): Target | undefined {
  const match = PATH.exec(url);
  const endpoint = match?.[2];
  if (match === null || endpoint === undefined || endpoint === '') return undefined;
  const plain = plainSpelling(endpoint);
  if (plain === undefined || (ENFORCED.has(plain) && plain !== endpoint)) return undefined;
  return { route: match[1], endpoint, query: match[3] ?? '' };
}

/** True for the endpoints whose replies are verified. */
export function isEnforced(endpoint: string): boolean {
  return ENFORCED.has(endpoint);
}

/** True for endpoints that cannot return a completion, so that a registered route may forward them. */
export function cannotBypass(method: string, endpoint: string): boolean {
  if (method === 'GET' || method === 'HEAD') return /^models(?:\/[^/]+)*$/.test(endpoint);
  return method === 'POST' && /^(?:embeddings|moderations)$/.test(endpoint);
}

/** The endpoint as a lenient upstream would read it; undefined for dot segments, back slashes and broken escapes. */
function plainSpelling(endpoint: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(endpoint);
  } catch {
    return undefined;
  }
  if (/\\|\0|%/.test(decoded)) return undefined;
  const segments = decoded.split('/').map((segment) => segment.replace(/;.*$/, '').trim().toLowerCase());
  if (segments.includes('.') || segments.includes('..')) return undefined;
  return segments.filter((segment) => segment !== '').join('/');
}
