/**
 * What is the model told after a refused reply? Its own words, the reason with its place, and the contract's keys.
 * Everything that comes from the reply is capped, so the bill of a correction has a bound.
 */

import type { Fault } from '../reader/fault.ts';
import type { Shape } from '../reader/reply-contract.ts';
import { lineAndColumn } from '../reader/span.ts';
import { messageOf } from '../refusal/refusal.ts';
import { outline } from './outline.ts';

/** How much of the refused reply is shown, UTF-16 code units: its head and its tail. */
export const MAX_SHOWN_HEAD = 12_000;
export const MAX_SHOWN_TAIL = 4000;
/** Code units shown on each side of the place at fault. */
const EXCERPT_AROUND = 60;
const MAX_RIVALS = 3;
const MAX_RIVAL = 200;

/** The two messages that ask for a correction: the refused reply as the assistant's, the request as the user's. */
export function correctionPrompt(
  reply: string,
  fault: Fault,
  shape: Shape,
): { readonly assistant: string; readonly user: string } {
  const { line, column } = lineAndColumn(reply, fault.at);
  const rivals = fault.rivals?.slice(0, MAX_RIVALS).map((rival) => rival.slice(0, MAX_RIVAL)) ?? [];
  const user = [
    `Your reply was refused. ${messageOf(fault.code, fault)} (line ${line}, column ${column}).`,
    `There it reads: ${JSON.stringify(excerpt(reply, fault.at))}`,
    ...(rivals.length === 0 ? [] : [`It could mean: ${rivals.join(' — or: ')}`]),
    `The whole reply must be one JSON value of this form: ${outline(shape)}`,
    'Use these keys only, each once in its object; a key marked ? may be left out.',
    'Send the whole corrected reply as JSON only: no text around it, no code fence, every quote, backslash and line break inside a string escaped.',
  ];
  return { assistant: capped(reply), user: user.join('\n').toWellFormed() };
}

function capped(reply: string): string {
  if (reply.length <= MAX_SHOWN_HEAD + MAX_SHOWN_TAIL) return reply;
  const left = reply.length - MAX_SHOWN_HEAD - MAX_SHOWN_TAIL;
  return `${reply.slice(0, MAX_SHOWN_HEAD)}\n[… ${left} characters left out …]\n${reply.slice(-MAX_SHOWN_TAIL)}`.toWellFormed();
}

function excerpt(reply: string, at: number): string {
  return reply.slice(Math.max(0, at - EXCERPT_AROUND), at + EXCERPT_AROUND).toWellFormed();
}
