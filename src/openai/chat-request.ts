/**
 * What does the proxy need to know of a chat completion request? Little; the rest is the upstream's business. But
 * what it reads it must read as the upstream will, so a member that comes twice is refused.
 */

import { z } from 'zod';
import type { JsonNode } from '../reader/json-node.ts';
import { toValue } from '../reader/json-value.ts';
import { pathText } from '../reader/span.ts';
import { parseJson, skipWhiteSpace } from '../reader/strict/parse-json.ts';

/** A request body: its text, the tree over it, and its value. */
export interface RequestJson {
  readonly text: string;
  readonly root: JsonNode;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request, as far as it is understood. */
export interface ChatRequest extends RequestJson {
  readonly model: string | undefined;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly n: number;
  /** The most tokens the completion may have, if the request says so. */
  readonly maxTokens: number | undefined;
}

/** A mistake in a request. `unsupported`: it cannot be held to a contract. */
export interface RequestFault {
  readonly ok: false;
  readonly code: 'invalid_request' | 'unsupported';
  readonly detail: string;
  readonly param: string | null;
}

const MAX_REQUEST_DEPTH = 256;

const read = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(z.unknown()),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: z.int().nullish(),
  max_completion_tokens: z.int().nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
});

/** Parses a request body as one JSON object without repeated members. */
export function parseRequest(text: string): { readonly ok: true; readonly json: RequestJson } | RequestFault {
  const parsed = parseJson(text, 0, MAX_REQUEST_DEPTH);
  if (!parsed.ok) {
    if (parsed.kind === 'duplicate') {
      return invalid(`the member ${JSON.stringify(parsed.key)} comes twice`, pathText(parsed.path));
    }
    return invalid(`the body is not JSON at ${parsed.at}: ${parsed.detail} expected`, null);
  }
  if (skipWhiteSpace(text, parsed.root.end) < text.length) return invalid('text follows the JSON body', null);
  if (parsed.root.kind !== 'object') return invalid('the body must be a JSON object', null);
  return {
    ok: true,
    json: { text, root: parsed.root, body: toValue(text, parsed.root) as RequestJson['body'] },
  };
}

/** Understands a parsed chat request. */
export function readChatRequest(
  json: RequestJson,
): { readonly ok: true; readonly request: ChatRequest } | RequestFault {
  const result = read.safeParse(json.body);
  if (!result.success) {
    const [issue] = result.error.issues;
    const place = pathText((issue?.path ?? []).filter((step) => typeof step !== 'symbol'));
    return invalid(`${place}: ${issue?.message ?? 'not understood'}`, place);
  }
  const { data } = result;
  return {
    ok: true,
    request: {
      ...json,
      model: data.model ?? undefined,
      stream: data.stream ?? false,
      includeUsage: data.stream_options?.include_usage ?? false,
      n: data.n ?? 1,
      maxTokens: data.max_completion_tokens ?? data.max_tokens ?? undefined,
    },
  };
}

/** What a request asks for that would let unverified text through, if anything. */
export function unsupportedUnderContract(body: Readonly<Record<string, unknown>>): RequestFault | undefined {
  const asked = (name: string): boolean => Array.isArray(body[name]) && body[name].length > 0;
  if (asked('tools') && body.tool_choice !== 'none') {
    return unsupported(
      'the arguments of tool calls are not verified; leave tools out, or set tool_choice to "none"',
      'tools',
    );
  }
  if (asked('functions') && body.function_call !== 'none') {
    return unsupported('the arguments of function calls are not verified; leave functions out', 'functions');
  }
  if (body.audio !== undefined && body.audio !== null)
    return unsupported('audio cannot be verified', 'audio');
  if (Array.isArray(body.modalities) && body.modalities.some((modality) => modality !== 'text')) {
    return unsupported('only the modality "text" can be verified', 'modalities');
  }
  return undefined;
}

/**
 * The contract that a request brings along in its `response_format`, as a contract definition; undefined where it
 * asks for no JSON.
 */
export function definitionOf(
  body: Readonly<Record<string, unknown>>,
): { readonly ok: true; readonly definition: unknown } | RequestFault | undefined {
  const format = body.response_format;
  if (typeof format !== 'object' || format === null) return undefined;
  const { type, schema, json_schema: wrapped } = format as Record<string, unknown>;
  if (type === 'json_object') return { ok: true, definition: { reply: schema ?? { type: 'object' } } };
  if (type !== 'json_schema') return undefined;
  const inner =
    typeof wrapped === 'object' && wrapped !== null ? (wrapped as Record<string, unknown>).schema : schema;
  if (inner === undefined || inner === null) {
    return invalid('a schema is needed', 'response_format.json_schema.schema');
  }
  return { ok: true, definition: { reply: inner } };
}

function invalid(detail: string, param: string | null): RequestFault {
  return { ok: false, code: 'invalid_request', detail, param };
}

function unsupported(detail: string, param: string): RequestFault {
  return { ok: false, code: 'unsupported', detail, param };
}
