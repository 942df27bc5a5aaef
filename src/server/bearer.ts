/** Does a request present a key that is asked for? Compared in constant time. */

import { createHash, timingSafeEqual } from 'node:crypto';

/** True where `authorization` is a bearer token among `keys`. */
export function presentsKey(authorization: string | undefined, keys: Iterable<string>): boolean {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return false;
  const presented = digest(token);
  let found = false;
  for (const key of keys) if (timingSafeEqual(presented, digest(key))) found = true;
  return found;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
