/** What does a client ask of the demo upstream? The few members of a chat completion request that change its answer. */

export interface DemoRequest {
  readonly model: string;
  /** What each message says; empty where it holds no plain text. */
  readonly texts: readonly string[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** 1 to 128. */
  readonly n: number;
}

const MAX_CHOICES = 128;

/** Reads a request body; undefined where it is no chat completion request. */
export function readDemoRequest(body: string): DemoRequest | undefined {
  const fields = objectOf(parse(body));
  const model = fields?.model;
  const messages = fields?.messages;
  const n = fields?.n ?? 1;
  if (typeof model !== 'string' || !Array.isArray(messages)) return undefined;
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > MAX_CHOICES) return undefined;
  return {
    model,
    texts: messages.map(textOf),
    stream: fields?.stream === true,
    includeUsage: objectOf(fields?.stream_options)?.include_usage === true,
    n,
  };
}

function textOf(message: unknown): string {
  const content = objectOf(message)?.content;
  return typeof content === 'string' ? content : '';
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
