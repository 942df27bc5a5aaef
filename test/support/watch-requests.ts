/** What passes between the clients and servers of this process? Seen by node itself, whoever asks and answers. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const ARRIVED = 'http.server.request.start';
const ANSWERED = 'undici:request:headers';

/** A running count. */
export interface RequestCount {
  /** Requests that came since the start. */
  readonly count: number;
  stop(): void;
}

/** Counts the requests that arrive at the host and port of `url` from now on. */
export function countRequests(url: string): RequestCount {
  const { host } = new URL(url);
  let count = 0;
  const onArrived = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.headers.host === host) count += 1;
  };
  subscribe(ARRIVED, onArrived);
  return {
    get count(): number {
      return count;
    },
    stop: () => unsubscribe(ARRIVED, onArrived),
  };
}

/** The status of the next answer that `fetch` gets from `url`, as soon as its headers are there. */
export async function nextStatus(url: string): Promise<number> {
  const { origin } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number>();
  const onAnswered = (message: unknown): void => {
    const { request, response } = message as {
      readonly request: { readonly origin: string };
      readonly response: { readonly statusCode: number };
    };
    if (request.origin === origin) resolve(response.statusCode);
  };
  subscribe(ANSWERED, onAnswered);
  try {
    return await promise;
  } finally {
    unsubscribe(ANSWERED, onAnswered);
  }
}
