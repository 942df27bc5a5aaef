/** What did the model say in a message's or delta's content? One string, however the server cuts it up. */

/** The words of a content: the reply's text, and the model's own refusal where it gave one. */
export interface ReplyContent {
  readonly text: string;
  readonly declined: string | undefined;
}

/** Parts that think aloud are no part of the reply. */
const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'reasoning']);

/** Content is a string, nothing, or a list of parts; undefined for whatever else, which cannot be verified. */
export function contentOf(content: unknown): ReplyContent | undefined {
  if (content === undefined || content === null) return { text: '', declined: undefined };
  if (typeof content === 'string') return { text: content, declined: undefined };
  if (!Array.isArray(content)) return undefined;
  let text = '';
  let declined: string | undefined;
  for (const part of content) {
    if (typeof part !== 'object' || part === null) return undefined;
    const { type, ...said } = part as Record<string, unknown>;
    if (THOUGHTS.has(type)) continue;
    if (type === 'refusal' && typeof said.refusal === 'string') declined = (declined ?? '') + said.refusal;
    else if (typeof said.text === 'string') text += said.text;
    else return undefined;
  }
  return { text, declined };
}
