/** Which headers go from one connection to the other? End-to-end ones only (RFC 9110, 7.6.1). */

const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Raw header pairs as node gives them: name, value, name, value. */
export type RawHeaders = readonly string[];

/**
 * The end-to-end headers, names in lower case; those named by `Connection` and those in `drop` are left out. Repeated
 * headers stay repeated.
 */
export function endToEnd(raw: RawHeaders, drop: ReadonlySet<string>): [string, string][] {
  const named = new Set<string>();
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== 'connection') continue;
    for (const name of raw[i + 1]?.split(',') ?? []) named.add(name.trim().toLowerCase());
  }
  const kept: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    if (!HOP_BY_HOP.has(name) && !named.has(name) && !drop.has(name)) kept.push([name, raw[i + 1] ?? '']);
  }
  return kept;
}
