/** Do contract files compile? Each is named with its route and fingerprint, or with every mistake and its place. */

import { statSync } from 'node:fs';
import { loadContractFile, loadContractFolder } from '../registry/contract-folder.ts';
import type { RouteState } from '../registry/registry.ts';
import { issueLines } from './contract-source.ts';
import { paint } from './paint.ts';

/** Checks files and folders. Exit code 0 where all compile, 1 where one does not, 2 for usage. */
export async function contractCheck(paths: readonly string[]): Promise<number> {
  if (paths.length === 0) {
    process.stderr.write('portcullis contract check: name at least one file or folder\n');
    return 2;
  }
  let code = 0;
  for (const path of paths) {
    const states = await load(path);
    if (states === undefined) {
      process.stderr.write(`portcullis contract check: ${path} cannot be read\n`);
      return 2;
    }
    for (const state of states) if (!tell(state)) code = 1;
  }
  return code;
}

async function load(path: string): Promise<readonly RouteState[] | undefined> {
  try {
    return statSync(path).isDirectory()
      ? (await loadContractFolder(path)).list()
      : [await loadContractFile(path)];
  } catch {
    return undefined;
  }
}

function tell(state: RouteState): boolean {
  if (state.state === 'active') {
    process.stdout.write(
      `${paint(process.stdout).green('ok')}  ${state.route}  ${state.contract.fingerprint}\n`,
    );
    return true;
  }
  process.stderr.write(issueLines(state.source, state.issues));
  return false;
}
