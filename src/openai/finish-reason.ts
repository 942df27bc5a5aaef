/** How did the model stop, whatever its server calls it? */

import type { Finish } from '../exchange/upstream.ts';

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
  ['blocklist', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['spii', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['error', 'failed'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
  ['abort', 'failed'],
  ['insufficient_system_resource', 'failed'],
]);

/** Normalises a finish reason; an unknown word is a normal end (`eos`, `end_turn`, `STOP`). */
export function finishOf(reason: string | null): Finish {
  return reason === null ? 'absent' : (FINISHES.get(reason.toLowerCase()) ?? 'stop');
}

/** What the client is told: the wire's own word where SDKs know it, else the word that means the same. */
export function wireFinish(reason: string | null): string | null {
  const finish = finishOf(reason);
  if (finish === 'absent' || finish === 'failed') return 'stop';
  return finish;
}
