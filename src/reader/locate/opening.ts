/**
 * What stands before the reply object, and is it only wrapping? A byte order mark or other invisible characters, a
 * reasoning block, the opening of a fence. What is left starts with the object, or with prose.
 */

import { leaveOut, type Repair, type RepairKind } from '../reading.ts';
import { skipWhiteSpace } from '../strict/parse-json.ts';

/** Where the answer starts. */
export interface Opening {
  /** Offset of the first character that is not wrapping. */
  readonly at: number;
  readonly repairs: readonly Repair[];
  /** The fence's marks, where one is open: the text after the object must close it. */
  readonly fence: string | undefined;
  /** True where all the text is an unfinished reasoning block. */
  readonly onlyReasoning: boolean;
}

const INVISIBLE = /(?:[\s\u200B\u200C\u2060]|\u200D)*/y;
const REASONING_OPEN = /<(think|thinking|thought|reasoning|reflection|scratchpad)>/iy;
const LONE_REASONING_CLOSE = /<\/(?:think|thinking|thought|reasoning|reflection|scratchpad)>/i;
/** Comments that stand right before the object. */
const COMMENTS = /^(?:\/\/[^\n]*\n\s*|\/\*[^*]*\*\/\s*)+(?=[{[])/;
const MAX_COMMENTS = 2048;
const FENCE = /(`{3,}|~{3,})[ \t]*(?:[A-Za-z0-9_+.-]{1,20})?(?=[\s{[]|$)/y;

/**
 * Reads the wrapping at the start of a reply; linear. `endsReasoning` says whether a closing tag that was never
 * opened, at the given offset, really ends the reasoning (a template may have opened it before the reply).
 */
export function readOpening(text: string, endsReasoning: (from: number, tagAt: number) => boolean): Opening {
  const repairs: Repair[] = [];
  const skip = (start: number, end: number, kind: RepairKind): number => {
    repairs.push(leaveOut(text, start, end, kind));
    return end;
  };
  const skipInvisible = (start: number): number => {
    INVISIBLE.lastIndex = start;
    const end = start + (INVISIBLE.exec(text)?.[0].length ?? 0);
    return skipWhiteSpace(text, start) < end ? skip(start, end, 'bom') : end;
  };
  let at = skipInvisible(0);
  for (;;) {
    REASONING_OPEN.lastIndex = at;
    const open = REASONING_OPEN.exec(text);
    if (open === null) break;
    const tag = new RegExp(`</${open[1]}>`, 'gi');
    tag.lastIndex = at;
    const close = tag.exec(text);
    if (close === null) return { at: text.length, repairs, fence: undefined, onlyReasoning: true };
    at = skipInvisible(skip(at, tag.lastIndex, 'reasoning'));
  }
  const lone = LONE_REASONING_CLOSE.exec(text);
  if (lone !== null && lone.index >= at && endsReasoning(at, lone.index)) {
    at = skipInvisible(skip(at, lone.index + lone[0].length, 'reasoning'));
  }
  const comments = COMMENTS.exec(text.slice(at, at + MAX_COMMENTS))?.[0].length ?? 0;
  if (comments > 0) at = skip(at, at + comments, 'comment');
  FENCE.lastIndex = at;
  const fence = FENCE.exec(text);
  if (fence === null) return { at, repairs, fence: undefined, onlyReasoning: false };
  const inside = skip(at, skipWhiteSpace(text, at + fence[0].length), 'fence');
  return { at: inside, repairs, fence: fence[1], onlyReasoning: false };
}
