/** What do the two planes need to start? Checked values only; reading flags, environment and files is the cli's. */

import type { Logger } from 'pino';
import type { Registry } from '../registry/registry.ts';

/** One upstream. Times in milliseconds. */
interface UpstreamOptions {
  /** Base URL; may carry a query string, which is kept: the path goes before it. No trailing slash in the path. */
  readonly url: URL;
  /** Presented upstream in place of the client's key, where set. */
  readonly key: string | undefined;
  /** Longest wait for the response's headers, and between two pieces of its body. */
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
}

export interface ServeOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
  readonly adminToken: string | undefined;
  /** Keys that clients must present as bearer tokens; undefined where none are asked for. */
  readonly clientKeys: ReadonlySet<string> | undefined;
  readonly upstream: UpstreamOptions;
  readonly registry: Registry;
  readonly log: Logger;
  /** Largest request body, bytes. */
  readonly maxRequestBytes: number;
  /** How long a stream's status line is held for a verdict, and how often a comment is sent after that. */
  readonly holdStatusMs: number;
  readonly commentEveryMs: number;
  /** How long running exchanges may go on after `close`. */
  readonly drainMs: number;
}

/** Both planes, listening. */
export interface Planes {
  /** `http://127.0.0.1:8787`, without a trailing slash. */
  readonly dataUrl: string;
  readonly adminUrl: string;
  /** Stops accepting, lets running exchanges end within `drainMs`, then cancels them. */
  close(): Promise<void>;
}
