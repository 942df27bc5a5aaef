/** What do the client tests know of an SDK? One way to ask for the note, and how that ends, in common words. */

import { z } from 'zod';

/** The object that every client asks for, in the SDKs' words and as a contract. */
export const note: z.ZodObject<{ t: z.ZodString; n: z.ZodNullable<z.ZodNumber> }> = z.object({
  t: z.string(),
  n: z.number().nullable(),
});

/** The contract of the route `note`. */
export const NOTE_CONTRACT: unknown = {
  reply: {
    type: 'object',
    properties: { t: { type: 'string' }, n: { type: ['number', 'null'] } },
    required: ['t', 'n'],
    additionalProperties: false,
  },
};

/** Where and how a client calls. */
export interface Call {
  readonly baseURL: string;
  readonly signal: AbortSignal;
  /** The SDK's own number of retries; undefined leaves its default. */
  readonly maxRetries?: number;
}

/** How a call ended, as its SDK tells it: the object, or what its error shows. */
export interface Ended {
  readonly value?: unknown;
  readonly status?: number | undefined;
  readonly code?: string | null | undefined;
  readonly type?: string | undefined;
  readonly requestId?: string | null | undefined;
  readonly retryAfter?: string | null | undefined;
}

/** One way in which one SDK asks for the note. */
export interface Client {
  readonly name: string;
  /** True where it asks for a stream. */
  readonly streams: boolean;
  /** Rejects with whatever is not an error of the API: an abort, or a reply that the SDK cannot use. */
  call(call: Call): Promise<Ended>;
}

/** Runs a call; `told` reads the SDK's error, and gives undefined for one that is not the API's. */
export async function ended(
  run: () => Promise<unknown>,
  told: (error: unknown) => Ended | undefined,
): Promise<Ended> {
  try {
    return { value: await run() };
  } catch (error) {
    const known = told(error);
    if (known === undefined) throw error;
    return known;
  }
}
