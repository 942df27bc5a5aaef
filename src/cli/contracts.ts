/** Which contracts does the proxy start with? The folder's, and beside the demo upstream the one for its models. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadContractFile, loadContractFolder, registryOf } from '../registry/contract-folder.ts';
import type { Registry } from '../registry/registry.ts';

/** The contracts that come with the package. */
const SHIPPED: string = fileURLToPath(new URL('../../contracts', import.meta.url));
const DEMO_ROUTE = 'demo';

/**
 * Loads the folder. Without one, the demo shows the shipped contracts and a real upstream has none. Undefined where
 * the folder is missing though it was named, or cannot be read.
 */
export async function startingContracts(from: {
  readonly folder: string;
  readonly named: boolean;
  readonly demo: boolean;
}): Promise<Registry | undefined> {
  const { folder, named, demo } = from;
  if (!isFolder(folder)) {
    if (named || existsSync(folder)) return undefined;
    return demo ? await loadContractFolder(SHIPPED) : registryOf([]);
  }
  const registry = await loadContractFolder(folder).catch(() => undefined);
  if (registry === undefined || !demo || registry.find(DEMO_ROUTE) !== undefined) return registry;
  return registryOf([...registry.list(), await loadContractFile(join(SHIPPED, 'demo.yaml'))]);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
