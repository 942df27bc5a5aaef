import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readNdjson } from '../../src/cli/read-ndjson.ts';
import { Command, run } from '../support/command-line.ts';

const SCHEMA = { type: 'object', properties: { t: { type: 'string' } }, additionalProperties: false };
const REPLY = '{"t":"a"}';

/** The answers to these lines. */
async function answers(...lines: readonly unknown[]): Promise<readonly unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const printed = text(output);
  input.end(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  await readNdjson(input, output);
  output.end();
  return (await printed)
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

function badLine(id: unknown, message: string): unknown {
  return { id, ok: false, code: 'bad_line', at: 0, message };
}

describe('read --ndjson', () => {
  it('tells what is wrong with a line, and goes on', async () => {
    expect(
      await answers(
        '{',
        '[]',
        'null',
        { id: 4, text: 1, contract: SCHEMA },
        { id: 5, text: REPLY },
        { id: 6, text: REPLY, contract: SCHEMA, finish_reason: 1 },
        '',
        { text: REPLY, contract: SCHEMA },
      ),
    ).toEqual([
      badLine(null, 'the line is not JSON'),
      badLine(null, 'the line must be an object'),
      badLine(null, 'the line must be an object'),
      badLine(4, 'the member "text" must be a string'),
      badLine(5, 'the member "contract" must be a JSON Schema or a contract'),
      badLine(6, 'the member "finish_reason" must be a string'),
      { id: null, ok: true, text: REPLY, repairs: [] },
    ]);
  });

  it('takes every spelling of a finish reason for what it means', async () => {
    const asked = (finish: string | null): unknown => ({
      text: REPLY,
      contract: SCHEMA,
      finish_reason: finish,
    });
    const ends = await answers(
      ...[null, 'stop', 'eos', 'tool_calls', 'MAX_TOKENS', 'SAFETY', 'error'].map(asked),
    );
    expect(ends.map((end) => (end as { code?: string }).code ?? 'ok')).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'cut',
      'content_filter',
      'upstream_invalid',
    ]);
  });

  it('names the mistakes of a contract, also the second time', async () => {
    const asked = { id: 1, text: REPLY, contract: { not: {} } };
    const [first, second] = await answers(asked, asked);
    expect(first).toEqual({
      id: 1,
      ok: false,
      code: 'contract_unavailable',
      at: 0,
      message: expect.stringContaining('reply.not'),
    });
    expect(second).toEqual(first);
  });

  it('reads each line under its own contract where there are more than are kept', async () => {
    const lines = Array.from({ length: 600 }, (_, i) => {
      const key = `k${i % 300}`;
      const contract = { type: 'object', properties: { [key]: {} }, additionalProperties: false };
      return { id: i, text: `{"${key}":1}`, contract };
    });
    const read = await answers(...lines);
    expect(read.map((one) => (one as { ok: boolean }).ok)).toEqual(lines.map(() => true));
  });

  it('takes no further line while nobody takes its answers', async () => {
    const line = `${JSON.stringify({ id: 1, text: REPLY, contract: SCHEMA })}\n`;
    const input = Readable.from(
      Array.from({ length: 50 }, () => Buffer.from(line)),
      { highWaterMark: 1 },
    );
    const output = new PassThrough({ highWaterMark: 1 });
    const done = readNdjson(input, output);
    await once(output, 'readable');
    // One answer is held and one is on its way: with nobody reading, the rest of the input stays where it is.
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(output.readableLength + output.writableLength).toBeLessThan(5 * line.length);
    expect(input.readableEnded).toBe(false);
    const printed = text(output);
    await done;
    output.end();
    expect((await printed).split('\n')).toHaveLength(51);
  });

  it('ends without a word where nobody reads its answers', async () => {
    const command = new Command(['read', '--ndjson']);
    command.child.stdout.destroy();
    command.child.stdin.on('error', () => undefined);
    command.child.stdin.write(`${JSON.stringify({ id: 1, text: REPLY, contract: SCHEMA })}\n`);
    expect(await command.ended).toEqual({ code: 1, out: '', err: '' });
  });

  it('takes no files and no contract', async () => {
    for (const args of [['x.txt'], ['--contract', 'x.yaml']]) {
      const { code, out, err } = await run(['read', '--ndjson', ...args]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('--ndjson takes replies and contracts from standard input alone');
    }
  });
});
