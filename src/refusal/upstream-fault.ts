/** What went wrong between the proxy and its upstream? Typed by what the client is told; a refused reply is not here. */

/** An answer that is handed on as it came: the upstream's own failure. */
export interface UpstreamAnswered {
  readonly kind: 'answered';
  readonly status: number;
  /** End-to-end headers only, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** No usable answer came. `detail` is our own phrase, never an exception's text. */
export interface UpstreamFailed {
  readonly kind: 'unreachable' | 'timeout' | 'invalid' | 'cancelled' | 'too_large';
  readonly detail: string;
}

export type UpstreamFault = UpstreamAnswered | UpstreamFailed;
