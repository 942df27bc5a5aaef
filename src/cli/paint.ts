/** May output be coloured? Only on a terminal, and not where `NO_COLOR` is set. */

import type { WriteStream } from 'node:tty';

export interface Paint {
  green(text: string): string;
  red(text: string): string;
}

/** The colours for a stream. */
export function paint(stream: WriteStream): Paint {
  const on = stream.isTTY === true && (process.env.NO_COLOR ?? '') === '';
  const wrap = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { green: wrap(32), red: wrap(31) };
}
