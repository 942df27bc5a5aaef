/** Which contracts does a folder hold? One YAML or JSON file a route; a file with a mistake makes its route broken. */

import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { compileContract } from '../contract/compile-contract.ts';
import type { ContractIssue } from '../contract/contract.ts';
import { ROUTE_NAME } from '../contract/contract-definition.ts';
import type { Registry, RouteState } from './registry.ts';

const ENDINGS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** Loads every contract file of a folder. Rejects with node's own error where the folder cannot be read. */
export async function loadContractFolder(folder: string): Promise<Registry> {
  const names = (await readdir(folder)).filter((name) => ENDINGS.has(extname(name)) && !name.startsWith('.'));
  const states = await Promise.all(names.toSorted().map((name) => loadContractFile(join(folder, name))));
  return registryOf(states);
}

/** Loads one contract file. A route that the file does not name is the file's name. */
export async function loadContractFile(file: string): Promise<RouteState> {
  const fileRoute = basename(file, extname(file));
  const parsed = parseContractText(await readFile(file, 'utf8'));
  if (!parsed.ok) return { state: 'broken', route: fileRoute, source: file, issues: parsed.issues };
  const { definition } = parsed;
  const named =
    typeof definition === 'object' && definition !== null && 'route' in definition
      ? definition.route
      : undefined;
  const route = typeof named === 'string' && ROUTE_NAME.test(named) ? named : fileRoute;
  const compiled = compileContract(definition, route);
  if (!compiled.ok) {
    return { state: 'broken', route, source: file, issues: parsed.locate(compiled.issues) };
  }
  if (!ROUTE_NAME.test(route)) {
    const message = `the file's name is no route name; name one of 1 to 64 of a-z, 0-9 and "-"`;
    return { state: 'broken', route, source: file, issues: [{ place: 'route', message }] };
  }
  return { state: 'active', route, source: file, contract: compiled.contract };
}

/** A registry of these states. Two sources of one route make it broken: neither is taken because it came first. */
export function registryOf(states: readonly RouteState[]): Registry {
  const byRoute = new Map<string, RouteState>();
  for (const state of states) {
    const other = byRoute.get(state.route);
    byRoute.set(state.route, other === undefined ? state : contested(state, other));
  }
  const list = [...byRoute.values()].toSorted((a, b) => (a.route < b.route ? -1 : 1));
  return { find: (route) => byRoute.get(route), list: () => list };
}

export type ParsedContract =
  | {
      readonly ok: true;
      readonly definition: unknown;
      /** The issues with the line of their place, where it is known. */
      locate(issues: readonly ContractIssue[]): readonly ContractIssue[];
    }
  | { readonly ok: false; readonly issues: readonly ContractIssue[] };

/** Parses YAML 1.2, of which JSON is a part. Repeated keys, several documents and unknown tags are mistakes. */
export function parseContractText(text: string): ParsedContract {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
    version: '1.2',
  });
  const lineOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const mistakes = [...document.errors, ...document.warnings];
  if (mistakes.length > 0) {
    return { ok: false, issues: mistakes.map(({ pos, message }) => ({ place: lineOf(pos[0]), message })) };
  }
  return {
    ok: true,
    definition: document.toJS({ maxAliasCount: 100 }),
    locate: (issues) =>
      issues.map(({ place, message }) => {
        const node = nearest(document, place);
        return { place: node === undefined ? place : `${lineOf(node)} ${place}`, message };
      }),
  };
}

/** The offset of the innermost value that a place names. */
function nearest(document: ReturnType<typeof parseDocument>, place: string): number | undefined {
  const steps = place === '$' ? [] : place.split(/\.|\[|\]\.?/).filter((step) => step !== '');
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document.getIn(
      steps.slice(0, length).map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
      true,
    );
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    if (Array.isArray(range) && typeof range[0] === 'number') return range[0];
  }
  return undefined;
}

function contested(state: RouteState, other: RouteState): RouteState {
  const message = `the route is named by two files: ${other.source} and ${state.source}`;
  return {
    state: 'broken',
    route: state.route,
    source: `${other.source}, ${state.source}`,
    issues: [{ place: 'route', message }],
  };
}
