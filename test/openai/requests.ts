import { type ChatRequest, parseRequest, readChatRequest } from '../../src/openai/chat-request.ts';

/** A chat request as the proxy understands it; throws where it does not. */
export function requestOf(text: string): ChatRequest {
  const parsed = parseRequest(text);
  const understood = parsed.ok ? readChatRequest(parsed.json) : parsed;
  if (!understood.ok) throw new Error(understood.detail);
  return understood.request;
}
