import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, run } from '../support/command-line.ts';

describe('portcullis', () => {
  it('explains each command with an example', async () => {
    for (const args of [
      ['serve', '--help'],
      ['read', '-h'],
      ['contract', '--help'],
      ['contract', 'check', '-h'],
    ]) {
      const { code, out, err } = await run(args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(new RegExp(`^portcullis ${args[0]}: `));
    }
  });

  it('shows no control character of a mistaken argument', async () => {
    for (const args of [['\u001b[31mx'], ['contract', '\u001b[31mx'], ['serve', '--\u001b[31mx']]) {
      const { code, err } = await run(args);
      expect(code).toBe(2);
      expect(err).not.toContain('\u001b');
      expect(err).not.toMatch(/\n\s+at /);
    }
  });

  it('answers 2 where a flag lacks its value', async () => {
    const { code, out, err } = await run(['serve', '--port']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^portcullis serve: .*--port.*\nportcullis serve --help lists what there is\n$/);
  });
});

describe('portcullis read', () => {
  const folder = folderWith({
    'contract.yaml': 'keys: {top: [t]}\n',
    'good.txt': '{"t":1}',
    'torn.txt': '{"t":',
    'broken.yaml': 'keys: {}\n',
  });
  const at = (name: string): string => join(folder, name);

  it('reads on after a refusal and a missing file, and answers with the worst', async () => {
    const files = [at('torn.txt'), at('none.txt'), at('good.txt')];
    const { code, out, err } = await run(['read', '--contract', at('contract.yaml'), ...files]);
    expect({ code, out }).toEqual({ code: 2, out: '{"t":1}\n' });
    expect(err).toContain(`${at('torn.txt')}:1:6: refused cut: `);
    expect(err).toContain(`${at('none.txt')} cannot be read\n`);
    expect(err).toContain(`${at('good.txt')}: verified\n`);
  });

  it('refuses bytes that are no text instead of replacing them', async () => {
    const bytes = Buffer.from([0x7b, 0x22, 0x74, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect(await run(['read', '--contract', at('contract.yaml')], bytes)).toEqual({
      code: 2,
      out: '',
      err: 'portcullis read: - is not UTF-8\n',
    });
  });

  it('names the mistakes of the contract', async () => {
    const { code, out, err } = await run(['read', '--contract', at('broken.yaml'), at('good.txt')]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${at('broken.yaml')}:1:`);
  });
});
