import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  loadContractFile,
  loadContractFolder,
  parseContractText,
  registryOf,
} from '../../src/registry/contract-folder.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-contracts-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

const OBJECT = 'reply: { type: object }\n';

describe('loadContractFolder', () => {
  it('takes one contract from each YAML and JSON file, ordered by route, and nothing else', async () => {
    await write({
      'b.yaml': OBJECT,
      'a.yml': 'route: zebra\nreply: { type: object }\n',
      'c.json': '{\n\t"reply": {\n\t\t"type": "object"\n\t}\n}\n',
      'README.md': '# contracts',
      '.hidden.yaml': OBJECT,
    });
    const registry = await loadContractFolder(folder);
    expect(registry.list().map(({ route, state, source }) => [route, state, source])).toEqual([
      ['b', 'active', join(folder, 'b.yaml')],
      ['c', 'active', join(folder, 'c.json')],
      ['zebra', 'active', join(folder, 'a.yml')],
    ]);
    expect(registry.find('zebra')).toMatchObject({ contract: { route: 'zebra' } });
    expect(registry.find('b')).toMatchObject({ contract: { route: 'b' } });
    expect(registry.find('a')).toBeUndefined();
  });

  it('breaks a route that two files name, with both files told', async () => {
    await write({ 'one.yaml': `route: same\n${OBJECT}`, 'two.yaml': `route: same\n${OBJECT}` });
    const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')];
    expect((await loadContractFolder(folder)).list()).toEqual([
      {
        state: 'broken',
        route: 'same',
        source: `${one}, ${two}`,
        issues: [{ place: 'route', message: `the route is named by more than one file: ${one} and ${two}` }],
      },
    ]);
  });

  it('keeps the mistakes of a file whose name is the route of another', async () => {
    await write({ 'a.yaml': 'reply: [', 'b.yaml': `route: a\n${OBJECT}` });
    const state = (await loadContractFolder(folder)).find('a');
    expect(state).toMatchObject({ state: 'broken', issues: [{ place: 'route' }, { place: '1:9' }] });
  });

  it('breaks the route of a file that cannot be read', async () => {
    await mkdir(join(folder, 'folder.yaml'));
    expect((await loadContractFolder(folder)).list()).toEqual([
      {
        state: 'broken',
        route: 'folder',
        source: join(folder, 'folder.yaml'),
        issues: [{ place: '$', message: 'the file cannot be read' }],
      },
    ]);
  });

  it('rejects where there is no folder', async () => {
    await expect(loadContractFolder(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

const BROKEN: readonly (readonly [string, string, readonly (readonly [string, RegExp])[]])[] = [
  [
    'has an unknown field',
    `${OBJECT}retries: 3\n`,
    [['2:10 retries', /no such field; there are route, description/]],
  ],
  [
    'has a keyword that cannot be enforced',
    'reply:\n  type: object\n  properties:\n    a: { type: string, pattern: "^a" }\n',
    [['4:33 reply.properties.a.pattern', /pattern/]],
  ],
  ['has a key twice', 'route: a\nroute: b\n', [['2:1', /unique/]]],
  ['has two documents', `${OBJECT}---\n${OBJECT}`, [['2:1', /multiple documents/]]],
  ['has a tag of its own', 'reply: !schema { type: object }\n', [['1:8', /!schema/]]],
  ['has a tag that makes something else of a value', 'description: !!binary aGk=\n', [['1:23', /binary/]]],
  ['shares a part by an alias', 'reply: &a { properties: { x: *a } }\n', [['1:30', /aliases/]]],
  [
    'has a key that is no text',
    'reply: { type: object, properties: { 1: {} } }\n',
    [['1:38', /key must be text/]],
  ],
  ['has a number that cannot be held', 'reply: { const: 12345678901234567890 }\n', [['1:17', /exactly/]]],
  ['has an infinite number', 'reply: { maximum: .inf }\n', [['1:19', /exactly/]]],
  ['is empty', '', [['$', /./]]],
  [
    'is nested without end',
    `reply: ${'['.repeat(50_000)}`,
    [[expect.stringMatching(/^1:\d+$/), /^nested too deep$/]],
  ],
  ['is nested too deep', `reply: ${'['.repeat(610)}${']'.repeat(610)}\n`, [['1:606', /^nested too deep$/]]],
];

describe('loadContractFile', () => {
  for (const [name, text, issues] of BROKEN) {
    it(`makes its route broken where it ${name}`, async () => {
      await write({ 'x.yaml': text });
      const state = await loadContractFile(join(folder, 'x.yaml'));
      expect(state).toEqual({
        state: 'broken',
        route: 'x',
        source: join(folder, 'x.yaml'),
        issues: issues.map(([place, message]) => ({ place, message: expect.stringMatching(message) })),
      });
    });
  }

  it('keeps the route that a broken contract names', async () => {
    await write({ 'x.yaml': 'route: named\nreply: 3\n' });
    expect(await loadContractFile(join(folder, 'x.yaml'))).toMatchObject({
      state: 'broken',
      route: 'named',
      issues: [{ place: '2:8 reply' }],
    });
  });

  it('breaks a contract whose route is no route name', async () => {
    await write({ 'x.yaml': `route: My Route\n${OBJECT}` });
    expect(await loadContractFile(join(folder, 'x.yaml'))).toMatchObject({
      state: 'broken',
      route: 'x',
      issues: [{ place: '1:8 route' }],
    });
  });

  it("breaks a contract without a route whose file's name is no route name", async () => {
    await write({ 'My Contract.yaml': OBJECT });
    expect(await loadContractFile(join(folder, 'My Contract.yaml'))).toMatchObject({
      state: 'broken',
      route: 'My Contract',
      issues: [{ place: 'route' }],
    });
  });
});

describe('parseContractText', () => {
  it('reads words as YAML 1.2 does', () => {
    expect(parseContractText('a: yes\nb: 1.5\nc: ~\nd: 0o17\n')).toMatchObject({
      ok: true,
      definition: { a: 'yes', b: 1.5, c: null, d: 15 },
    });
  });

  it('tells at most twenty mistakes', () => {
    const parsed = parseContractText(`a: &a 1\nb: [${'*a, '.repeat(50)}]\n`);
    expect(parsed.ok ? [] : parsed.issues).toHaveLength(20);
  });

  it('leaves a place alone that the text does not have', () => {
    const parsed = parseContractText('a: 1\n');
    expect(parsed.ok && parsed.locate([{ place: '$', message: 'm' }])).toEqual([
      { place: '$', message: 'm' },
    ]);
  });
});

describe('registryOf', () => {
  it('knows no route where there are no states', () => {
    expect(registryOf([]).list()).toEqual([]);
    expect(registryOf([]).find('demo')).toBeUndefined();
  });
});
