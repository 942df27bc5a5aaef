import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Command, folderWith, run } from '../support/command-line.ts';

const SCHEMA = {
  type: 'object',
  properties: { t: { type: 'string' } },
  required: ['t'],
  additionalProperties: false,
};

describe('portcullis read', () => {
  const folder = folderWith({
    'contract.yaml': `reply: ${JSON.stringify(SCHEMA)}`,
    'schema.json': JSON.stringify(SCHEMA),
    'good.txt': '```json\n{"t":"a\tb"}\n```',
    'bad.txt': 'prose\n{"t":"字",\n "x":1}',
  });
  const at = (name: string): string => join(folder, name);

  it('prints the reading, and what was repaired', async () => {
    for (const contract of ['contract.yaml', 'schema.json']) {
      const { code, out, err } = await run(['read', '--contract', at(contract), at('good.txt')]);
      expect({ code, out }).toEqual({ code: 0, out: '{"t":"a\\tb"}\n' });
      expect(err).toContain('control_char=1, fence=2');
    }
  });

  it('shows a refusal with its place and a caret under it', async () => {
    const { code, out, err } = await run(['read', '--contract', at('contract.yaml'), at('bad.txt')]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${at('bad.txt')}:3:2: refused unknown_key: Unknown key "x" in reply`);
    expect(err).toContain('3 |  "x":1}\n     ^\n');
    expect(err).not.toContain('\u001b');
  });

  it('reads standard input, and answers 2 to a usage mistake', async () => {
    expect(await run(['read', '--contract', at('contract.yaml'), '-'], '{"t":""}')).toMatchObject({
      code: 0,
      out: '{"t":""}\n',
    });
    expect((await run(['read', at('good.txt')])).code).toBe(2);
    expect((await run(['read', '--contract', at('none'), at('good.txt')])).code).toBe(2);
    expect((await run(['read', '--contract', at('contract.yaml'), at('none')])).code).toBe(2);
  });
});

describe('portcullis read --ndjson', () => {
  it('answers each line as soon as it has come, in order', async () => {
    const command = new Command(['read', '--ndjson']);
    const ask = async (line: unknown, lines: number): Promise<unknown> => {
      command.child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
      await command.says(new RegExp(`^(?:[^\\n]*\\n){${lines}}`));
      return JSON.parse(command.out.split('\n')[lines - 1] ?? '');
    };
    expect(await ask({ id: 1, text: '{"t":"a\n"}', contract: SCHEMA }, 1)).toEqual({
      id: 1,
      ok: true,
      text: '{"t":"a\\n"}',
      repairs: [{ kind: 'control_char', start: 7, end: 8, before: '\n', after: '\\n' }],
    });
    expect(
      await ask({ id: 'b', text: '{"t":"a"}', contract: { reply: SCHEMA }, finish_reason: 'length' }, 2),
    ).toMatchObject({ id: 'b', ok: false, code: 'cut', at: 9 });
    expect(await ask({ id: 3, text: '{"t":"a"}', contract: SCHEMA, finish: 'length' }, 3)).toMatchObject({
      id: 3,
      ok: false,
      code: 'cut',
    });
    expect(
      await ask({ id: 4, text: '{"x":"a"}', contract: { keys: { top: ['t'] }, strict: true } }, 4),
    ).toMatchObject({
      id: 4,
      ok: false,
      code: 'unknown_key',
      at: 1,
      message: expect.stringContaining('"x"'),
    });
    expect(await ask('{nonsense', 5)).toMatchObject({ ok: false, code: 'bad_line' });
    expect(await ask({ id: 6, text: 1, contract: SCHEMA }, 6)).toMatchObject({ ok: false, code: 'bad_line' });
    expect(await ask({ id: 7, text: '{}', contract: { not: {} } }, 7)).toMatchObject({ id: 7, ok: false });
    command.child.stdin.end();
    expect((await command.ended).code).toBe(0);
  });

  it('answers ten thousand lines that come at once', async () => {
    const lines = Array.from({ length: 10_000 }, (_, id) =>
      JSON.stringify({ id, text: `{"t":"${id}"}`, contract: SCHEMA }),
    );
    const { code, out } = await run(['read', '--ndjson'], lines.join('\n'));
    expect(code).toBe(0);
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; text: string });
    expect(answers).toHaveLength(10_000);
    expect(answers.every(({ id, text }, i) => id === i && text === `{"t":"${i}"}`)).toBe(true);
  });
});

describe('portcullis contract check', () => {
  it('names what compiles and every mistake of what does not', async () => {
    const folder = folderWith({ 'a.yaml': 'keys: {top: [x]}', 'b.json': '{\n"reply": {"type": "objekt"}}' });
    const { code, out, err } = await run(['contract', 'check', folder]);
    expect(code).toBe(1);
    expect(out).toMatch(/^ok {2}a {2}[0-9a-f]{16}\n$/);
    expect(err).toMatch(/b\.json:2:\d+.*reply\.type.*object, array/);
    expect((await run(['contract', 'check', join(folder, 'a.yaml')])).code).toBe(0);
    expect((await run(['contract', 'check'])).code).toBe(2);
    expect((await run(['contract', 'check', join(folder, 'none')])).code).toBe(2);
  });
});
