/** How does the openai SDK ask for the note? Plain and streamed, as text and parsed. */

import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { type Call, type Client, type Ended, ended, note } from './client.ts';

const ASKED = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
const FORMATTED = { ...ASKED, response_format: zodResponseFormat(note, 'note') };

/** The SDK with its default retries, unless the call says otherwise. */
export function openaiAt({ baseURL, maxRetries }: Omit<Call, 'signal'>): OpenAI {
  return new OpenAI({ baseURL, apiKey: 'k', ...(maxRetries === undefined ? {} : { maxRetries }) });
}

/** What an APIError shows. */
export function toldByOpenai(error: unknown): Ended | undefined {
  if (!(error instanceof OpenAI.APIError) || error instanceof OpenAI.APIUserAbortError) return undefined;
  const { status, code, type, requestID, headers } = error;
  return { status, code, type, requestId: requestID, retryAfter: headers?.get('retry-after') };
}

/** Every way to ask. */
export const OPENAI_CLIENTS: readonly Client[] = [
  client('create', false, async (openai, signal) => {
    const made = await openai.chat.completions.create(ASKED, { signal });
    return JSON.parse(made.choices[0]?.message.content ?? '');
  }),
  client('create, streamed', true, async (openai, signal) => {
    const stream = await openai.chat.completions.create({ ...ASKED, stream: true }, { signal });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    return JSON.parse(text);
  }),
  client('parse', false, async (openai, signal) => {
    const made = await openai.chat.completions.parse(FORMATTED, { signal });
    return made.choices[0]?.message.parsed;
  }),
  client('stream helper', true, async (openai, signal) => {
    const stream = openai.chat.completions.stream(FORMATTED, { signal });
    return (await stream.finalChatCompletion()).choices[0]?.message.parsed;
  }),
];

function client(
  name: string,
  streams: boolean,
  ask: (openai: OpenAI, signal: AbortSignal) => Promise<unknown>,
): Client {
  const call = async (at: Call): Promise<Ended> =>
    await ended(() => ask(openaiAt(at), at.signal), toldByOpenai);
  return { name: `openai ${name}`, streams, call };
}
