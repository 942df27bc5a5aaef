/** How does LangChain ask for the note? With ChatOpenAI: as text, streamed, and as structured output in two ways. */

import { ChatOpenAI } from '@langchain/openai';
import { type Call, type Client, type Ended, ended, note } from './client.ts';
import { toldByOpenai } from './openai-sdk.ts';

/** Every way to ask. */
export const LANGCHAIN_CLIENTS: readonly Client[] = [
  client('invoke', false, async (model, signal) => {
    return JSON.parse(String((await model.invoke('Hello', { signal })).content));
  }),
  ...(['jsonSchema', 'jsonMode'] as const).map((method) =>
    client(`withStructuredOutput by ${method}`, false, async (model, signal) => {
      return await model.withStructuredOutput(note, { method }).invoke('Hello, in JSON', { signal });
    }),
  ),
  client('stream', true, async (model, signal) => {
    let text = '';
    for await (const chunk of await model.stream('Hello', { signal })) text += String(chunk.content);
    return JSON.parse(text);
  }),
];

function client(
  name: string,
  streams: boolean,
  ask: (model: ChatOpenAI, signal: AbortSignal) => Promise<unknown>,
): Client {
  const call = async ({ baseURL, signal, maxRetries }: Call): Promise<Ended> => {
    const retries = maxRetries === undefined ? {} : { maxRetries };
    const model = new ChatOpenAI({ model: 'm', apiKey: 'k', configuration: { baseURL }, ...retries });
    return await ended(() => ask(model, signal), toldByOpenai);
  };
  return { name: `langchain ${name}`, streams, call };
}
