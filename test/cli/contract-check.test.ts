import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, run } from '../support/command-line.ts';

describe('portcullis contract check', () => {
  const folder = folderWith({
    'whole.yaml': 'route: named\nkeys: {top: [x]}\n',
    'schema.json': '{"type":"object"}',
    'wrong.json': '{"type":"object",\n "properties":{"a":{"type":"strin\\u001b"}}}',
    'torn.yaml': 'keys: [\n',
  });
  const at = (name: string): string => join(folder, name);

  it('takes a bare schema for the contract of its replies, and names its mistakes in its own places', async () => {
    expect(await run(['contract', 'check', at('whole.yaml'), at('schema.json')])).toEqual({
      code: 0,
      out: expect.stringMatching(/^ok {2}named {2}[0-9a-f]{16}\nok {2}schema {2}[0-9a-f]{16}\n$/),
      err: '',
    });
    const { code, out, err } = await run(['contract', 'check', at('wrong.json')]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.startsWith(`${at('wrong.json')}:2:28 properties.a.type: `)).toBe(true);
    expect(err).not.toContain('\u001b');
  });

  it('goes on after a mistake and answers with the worst', async () => {
    const { code, out, err } = await run([
      'contract',
      'check',
      at('torn.yaml'),
      at('none.yaml'),
      at('whole.yaml'),
    ]);
    expect(code).toBe(2);
    expect(out).toMatch(/^ok {2}named {2}/);
    expect(err).toContain(`${at('torn.yaml')}:`);
    expect(err).toContain(`${at('none.yaml')} cannot be read`);
  });

  it('does not pass where there is nothing to check', async () => {
    const empty = folderWith({ 'notes.txt': '' });
    expect(await run(['contract', 'check', empty])).toEqual({
      code: 1,
      out: '',
      err: `portcullis contract check: ${empty} holds no contract file\n`,
    });
  });

  it('knows no other verb', async () => {
    for (const args of [['contract'], ['contract', 'chek', folder]]) {
      expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('check') });
    }
  });
});
