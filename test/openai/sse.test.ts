import { describe, expect, it } from 'vitest';
import { SSE_COMMENT, SseDecoder, sseEvent } from '../../src/openai/sse.ts';

function decode(...pieces: readonly (string | Uint8Array)[]): (readonly string[] | undefined)[] {
  const decoder = new SseDecoder();
  const pushed = pieces.map((piece) => decoder.push(typeof piece === 'string' ? Buffer.from(piece) : piece));
  return [...pushed, decoder.end()];
}

describe('SseDecoder', () => {
  it('reads LF, CR and CRLF, with and without a space after the colon', () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const events = decode(`data: a${end}${end}data:b${end}${end}`);
      expect(events.flat()).toEqual(['a', 'b']);
    }
  });

  it('joins the lines of one event, and skips comments, names, ids and events without data', () => {
    expect(decode(': c\n\nevent: ping\n\nid: 1\nretry: 5\nevent: x\ndata: a\ndata: b\n\n')[0]).toEqual([
      'a\nb',
    ]);
  });

  it('puts a character together that two pieces share', () => {
    const bytes = Buffer.from('data: 🍸\n\n');
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(decode(bytes.subarray(0, cut), bytes.subarray(cut)).flat()).toEqual(['🍸']);
    }
  });

  it('reads an event that the body ends in', () => {
    expect(decode('data: a')).toEqual([[], ['a']]);
  });

  it('cannot read bytes that are no UTF-8, or that stop in a character', () => {
    expect(decode(Buffer.from([0x64, 0xff]))[0]).toBeUndefined();
    expect(decode(Buffer.from('data: 🍸').subarray(0, -1))).toEqual([[], undefined]);
  });

  it('cannot read an event without end', () => {
    const decoder = new SseDecoder();
    const piece = Buffer.alloc(4_194_304, 'x');
    decoder.push(Buffer.from('data: '));
    const pushed = Array.from({ length: 5 }, () => decoder.push(piece));
    expect(pushed[0]).toEqual([]);
    expect(pushed.at(-1)).toBeUndefined();
  });
});

it('encodes what it decodes', () => {
  expect(decode(`${SSE_COMMENT}${sseEvent('{"a":1}')}`)[0]).toEqual(['{"a":1}']);
});
