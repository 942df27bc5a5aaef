/** Which contracts does a folder hold? One YAML or JSON file a route; a file with a mistake makes its route broken. */

import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { compileContract } from '../contract/compile-contract.ts';
import type { ContractIssue } from '../contract/contract.ts';
import { ROUTE_NAME } from '../contract/contract-definition.ts';
import type { Registry, RouteState } from './registry.ts';
import { yamlMistakes } from './yaml-mistakes.ts';

const ENDINGS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** Loads every contract file of a folder. Rejects with node's own error where the folder cannot be read. */
export async function loadContractFolder(folder: string): Promise<Registry> {
  const names = (await readdir(folder)).filter((name) => ENDINGS.has(extname(name)) && !name.startsWith('.'));
  return registryOf(await Promise.all(names.toSorted().map((name) => loadContractFile(join(folder, name)))));
}

/**
 * Loads one contract file. Its route is the one it names, else its file's name. Never rejects: a file that cannot be
 * read, parsed or compiled is a broken route, with each issue's line and column before its place where known.
 */
export async function loadContractFile(file: string): Promise<RouteState> {
  const fileRoute = basename(file, extname(file));
  const broken = (route: string, issues: readonly ContractIssue[]): RouteState => {
    return { state: 'broken', route, source: file, issues };
  };
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return broken(fileRoute, [{ place: '$', message: 'the file cannot be read' }]);
  const parsed = parseContractText(text);
  if (!parsed.ok) return broken(fileRoute, parsed.issues);
  const route = namedRoute(parsed.definition) ?? fileRoute;
  const compiled = compileContract(parsed.definition, route);
  if (!compiled.ok) return broken(route, parsed.locate(compiled.issues));
  if (!ROUTE_NAME.test(route)) {
    const message = `the file's name is no route name: give it a route of 1 to 64 of a-z, 0-9 and "-"`;
    return broken(route, [{ place: 'route', message }]);
  }
  return { state: 'active', route, source: file, contract: compiled.contract };
}

/** A registry of these states. Several sources of one route make it broken: none is taken because it came first. */
export function registryOf(states: readonly RouteState[]): Registry {
  const byRoute = new Map<string, RouteState>();
  for (const state of states) {
    const other = byRoute.get(state.route);
    byRoute.set(state.route, other === undefined ? state : contested(other, state));
  }
  const list = [...byRoute.values()].toSorted((a, b) => (a.route < b.route ? -1 : 1));
  return { find: (route) => byRoute.get(route), list: () => list };
}

/** What a contract's text holds, or why it holds nothing. */
export type ParsedContract =
  | {
      readonly ok: true;
      readonly definition: unknown;
      /** The issues with line and column before their place, where these are known. */
      locate(issues: readonly ContractIssue[]): readonly ContractIssue[];
    }
  | { readonly ok: false; readonly issues: readonly ContractIssue[] };

/** Parses YAML 1.2, of which JSON is a part. Repeated keys, several documents, aliases and tags are mistakes. */
export function parseContractText(text: string): ParsedContract {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2' });
  const placeOf = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${line}:${col}`;
  };
  const mistakes = yamlMistakes(document);
  if (mistakes.length > 0) {
    return {
      ok: false,
      issues: mistakes.map(({ offset, message }) => ({ place: placeOf(offset), message })),
    };
  }
  return {
    ok: true,
    definition: document.toJS(),
    locate: (issues) =>
      issues.map(({ place, message }) => {
        const offset = offsetOf(document, place);
        return { place: offset === undefined ? place : `${placeOf(offset)} ${place}`, message };
      }),
  };
}

/** The offset of the innermost value that leads to a place such as `reply.properties.a.type`. */
function offsetOf(document: Document.Parsed, place: string): number | undefined {
  const steps = place
    .split(/\.|\[|\]\.?/)
    .filter((step) => step !== '' && step !== '$')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document.getIn(steps.slice(0, length), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    if (Array.isArray(range) && typeof range[0] === 'number') return range[0];
  }
  return undefined;
}

/** The route that a definition names, if it is a route name. */
function namedRoute(definition: unknown): string | undefined {
  const route =
    typeof definition === 'object' && definition !== null && 'route' in definition
      ? definition.route
      : undefined;
  return typeof route === 'string' && ROUTE_NAME.test(route) ? route : undefined;
}

function contested(one: RouteState, other: RouteState): RouteState {
  const message = `the route is named by more than one file: ${one.source} and ${other.source}`;
  return {
    state: 'broken',
    route: one.route,
    source: `${one.source}, ${other.source}`,
    issues: [
      { place: 'route', message },
      ...[one, other].flatMap((state) => (state.state === 'broken' ? state.issues : [])),
    ],
  };
}
