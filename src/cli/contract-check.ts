/** Do contract files compile? Each is named with its route and fingerprint, or with every mistake and its place. */

import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { loadContractFile, loadContractFolder } from '../registry/contract-folder.ts';
import type { RouteState } from '../registry/registry.ts';
import { compileFile, issueLines } from './contract-source.ts';
import { inert } from './inert.ts';
import { paint } from './paint.ts';

const BROKEN = 1;
const UNREADABLE = 2;

/** Checks files and folders. Exit code 0 where all compile, 1 where one does not, 2 where a path cannot be read. */
export async function contractCheck(paths: readonly string[]): Promise<number> {
  let code = 0;
  for (const path of paths) code = Math.max(code, await checkPath(path));
  return code;
}

async function checkPath(path: string): Promise<number> {
  const states = await statesOf(path).catch(() => undefined);
  if (states === undefined) {
    process.stderr.write(`portcullis contract check: ${inert(path)} cannot be read\n`);
    return UNREADABLE;
  }
  if (states.length === 0) {
    // refuse: a check that found nothing to check must not pass.
    process.stderr.write(`portcullis contract check: ${inert(path)} holds no contract file\n`);
    return BROKEN;
  }
  let code = 0;
  for (const state of states) if (!tell(state)) code = BROKEN;
  return code;
}

async function statesOf(path: string): Promise<readonly RouteState[] | undefined> {
  if ((await stat(path)).isDirectory()) return (await loadContractFolder(path)).list();
  const source = await compileFile(path);
  if (source.kind === 'unreadable') return undefined;
  if (source.whole) return [await loadContractFile(path)];
  const route = basename(path, extname(path));
  const { result } = source;
  return result.ok
    ? [{ state: 'active', route, source: path, contract: result.contract }]
    : [{ state: 'broken', route, source: path, issues: result.issues }];
}

function tell(state: RouteState): boolean {
  if (state.state === 'active') {
    const ok = paint(process.stdout).green('ok');
    process.stdout.write(`${ok}  ${inert(state.route)}  ${state.contract.fingerprint}\n`);
    return true;
  }
  for (const line of issueLines(state.source, state.issues)) process.stderr.write(`${line}\n`);
  return false;
}
