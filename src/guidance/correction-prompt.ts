/** What is the model told after a refused reply? Its own words, the reason with its place, and the contract's keys. */

import type { Fault } from '../reader/fault.ts';
import type { Shape } from '../reader/reply-contract.ts';
import { lineAndColumn } from '../reader/span.ts';
import { messageOf } from '../refusal/refusal.ts';
import { outline } from './outline.ts';

/** How much of the refused reply is shown, UTF-16 code units: its head and its tail. */
export const MAX_SHOWN_HEAD = 12_000;
export const MAX_SHOWN_TAIL = 4000;
const EXCERPT_AROUND = 60;

/** The two messages that ask for a correction. */
export function correctionPrompt(
  reply: string,
  fault: Fault,
  shape: Shape,
): { readonly assistant: string; readonly user: string } {
  const { line, column } = lineAndColumn(reply, fault.at);
  const user = [
    `Your reply was refused. ${messageOf(fault.code, fault)} (line ${line}, column ${column}).`,
    `There it reads: ${JSON.stringify(excerpt(reply, fault.at))}`,
    ...(fault.rivals === undefined ? [] : [`It could mean: ${fault.rivals.join(' — or: ')}`]),
    `The whole reply must be one JSON value of this form: ${outline(shape)}`,
    'Send the whole corrected reply as JSON only: no text around it, no code fence, every quote and backslash inside a string escaped.',
  ];
  return { assistant: capped(reply), user: user.join('\n') };
}

function capped(reply: string): string {
  if (reply.length <= MAX_SHOWN_HEAD + MAX_SHOWN_TAIL) return reply;
  const left = reply.length - MAX_SHOWN_HEAD - MAX_SHOWN_TAIL;
  return `${reply.slice(0, MAX_SHOWN_HEAD)}\n[… ${left} characters left out …]\n${reply.slice(-MAX_SHOWN_TAIL)}`.toWellFormed();
}

function excerpt(reply: string, at: number): string {
  return reply.slice(Math.max(0, at - EXCERPT_AROUND), at + EXCERPT_AROUND).toWellFormed();
}
