import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startingContracts } from '../../src/cli/contracts.ts';
import { folderWith } from '../support/command-line.ts';

const KEYS = 'keys: {top: [a]}\n';

/** Each route and its state. */
async function routesOf(from: {
  readonly folder: string;
  readonly named: boolean;
  readonly demo: boolean;
}): Promise<readonly string[] | undefined> {
  return (await startingContracts(from))?.list().map(({ route, state }) => `${route} ${state}`);
}

describe('the contracts at the start', () => {
  it('are those of the folder', async () => {
    const folder = folderWith({ 'a.yaml': KEYS, 'b.yaml': 'reply: {type: objekt}\n' });
    expect(await routesOf({ folder, named: true, demo: false })).toEqual(['a active', 'b broken']);
  });

  it('have the demo route beside the demo upstream', async () => {
    const folder = folderWith({ 'a.yaml': KEYS });
    expect(await routesOf({ folder, named: true, demo: true })).toEqual(['a active', 'demo active']);
  });

  it('leave a demo route of the folder as it is, broken too', async () => {
    const folder = folderWith({ 'demo.yaml': 'keys: 1\n' });
    expect(await routesOf({ folder, named: true, demo: true })).toEqual(['demo broken']);
  });

  it('are the shipped ones where the demo has no folder, and none where an upstream has none', async () => {
    const folder = folderWith({});
    rmSync(folder, { recursive: true });
    expect(await routesOf({ folder, named: false, demo: true })).toContain('demo active');
    expect(await routesOf({ folder, named: false, demo: false })).toEqual([]);
  });

  it('are refused where the folder was named and is missing, or is a file', async () => {
    const file = join(folderWith({}), 'contracts');
    expect(await routesOf({ folder: file, named: true, demo: true })).toBeUndefined();
    writeFileSync(file, KEYS);
    expect(await routesOf({ folder: file, named: false, demo: true })).toBeUndefined();
  });
});
