/** How does the AI SDK ask for the note? With its openai-compatible provider: as text, as an output and as an object. */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateObject,
  generateText,
  type LanguageModel,
  Output,
  streamObject,
  streamText,
} from 'ai';
import { type Call, type Client, type Ended, ended, note } from './client.ts';

// The provider warns that no schema is sent: the route has it.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

interface Asked {
  readonly model: LanguageModel;
  readonly prompt: string;
  readonly abortSignal: AbortSignal;
  readonly maxRetries?: number;
}

/** Where a stream of the SDK tells what went wrong. */
interface Told {
  readonly onError: (event: { readonly error: unknown }) => void;
  readonly onAbort: () => void;
}

/** Every way to ask, with a schema in the request and without. */
export const AI_CLIENTS: readonly Client[] = [true, false].flatMap((structured) => [
  client('generateText with an output', structured, false, async (asked) => {
    return (await generateText({ ...asked, output: Output.object({ schema: note }) })).output;
  }),
  client('generateObject', structured, false, async (asked) => {
    return (await generateObject({ ...asked, schema: note })).object;
  }),
  client('streamText with an output', structured, true, async (asked) => {
    return await streamed(({ onError, onAbort }) => {
      const made = streamText({ ...asked, output: Output.object({ schema: note }), onError, onAbort });
      made.consumeStream();
      return made.output;
    });
  }),
  client('streamObject', structured, true, async (asked) => {
    return await streamed(({ onError, onAbort }) => {
      const made = streamObject({ ...asked, schema: note, onError });
      asked.abortSignal.addEventListener('abort', onAbort);
      // The object comes only to whoever reads the stream.
      made.textStream.pipeTo(new WritableStream()).catch(onError);
      return made.object;
    });
  }),
]);

/** The result of a stream, or the error that the SDK tells on the side: the result's own is only that there is none. */
async function streamed(start: (told: Told) => PromiseLike<unknown>): Promise<unknown> {
  const failed = Promise.withResolvers<never>();
  const result = start({
    onError: ({ error }) => failed.reject(error),
    onAbort: () => failed.reject(new Error('aborted')),
  });
  return await Promise.race([failed.promise, Promise.resolve(result).catch(() => failed.promise)]);
}

/** An error of the API is an APICallError, or the error of a stream's event: as the SDK's own, or as the wire has it. */
function told(error: unknown): Ended | undefined {
  const cause = (error as { readonly lastError?: unknown }).lastError ?? error;
  if (APICallError.isInstance(cause)) {
    const { error: body } = JSON.parse(cause.responseBody ?? '{}') as { readonly error?: WireError };
    return {
      status: cause.statusCode,
      code: body?.code,
      type: body?.type,
      requestId: cause.responseHeaders?.['x-request-id'],
      retryAfter: cause.responseHeaders?.['retry-after'],
    };
  }
  const { code, type } = cause as WireError;
  return typeof code === 'string' ? { code, type } : undefined;
}

interface WireError {
  readonly code?: string;
  readonly type?: string;
}

function client(
  name: string,
  supportsStructuredOutputs: boolean,
  streams: boolean,
  ask: (asked: Asked) => Promise<unknown>,
): Client {
  const call = async ({ baseURL, signal, maxRetries }: Call): Promise<Ended> => {
    const provider = createOpenAICompatible({
      name: 'portcullis',
      baseURL,
      apiKey: 'k',
      supportsStructuredOutputs,
    });
    const retries = maxRetries === undefined ? {} : { maxRetries };
    const asked = { model: provider('m'), prompt: 'Hello', abortSignal: signal, ...retries };
    return await ended(() => ask(asked), told);
  };
  return {
    name: `ai ${name}, ${supportsStructuredOutputs ? 'with' : 'without'} a schema`,
    streams,
    call,
  };
}
