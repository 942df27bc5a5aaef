import { expect, it } from 'vitest';
import { endToEnd } from '../../src/transport/headers.ts';

const NONE: ReadonlySet<string> = new Set();

it('keeps end-to-end headers in order, names in lower case, repeated ones repeated', () => {
  expect(endToEnd(['X-A', '1', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2'], NONE)).toEqual([
    ['x-a', '1'],
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
  ]);
});

it('leaves out what belongs to one connection', () => {
  const hopByHop = [
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authorization',
    'Proxy-Authenticate',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
  ];
  expect(
    endToEnd(
      hopByHop.flatMap((name) => [name, 'x']),
      NONE,
    ),
  ).toEqual([]);
});

it('leaves out what any Connection header names, wherever it stands', () => {
  const raw = [
    'x-one',
    '1',
    'Connection',
    'close, X-One',
    'connection',
    ' x-two ',
    'X-Two',
    '2',
    'x-three',
    '3',
  ];
  expect(endToEnd(raw, NONE)).toEqual([['x-three', '3']]);
});

it('leaves out what the caller drops', () => {
  expect(endToEnd(['Host', 'h', 'x-a', '1'], new Set(['host']))).toEqual([['x-a', '1']]);
});
