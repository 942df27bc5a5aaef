/** What does the settings file say, and on which line? YAML 1.2; whatever is no setting is a mistake. */

import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { CONFIG_NAMES, type ConfigField } from './config-fields.ts';

/** A value that was set, and where: `flag --port`, `environment PORTCULLIS_PORT`, `portcullis.yaml:3`. */
export interface Given {
  readonly value: unknown;
  readonly origin: string;
}

export interface ConfigFile {
  readonly given: ReadonlyMap<ConfigField, Given>;
  readonly mistakes: readonly string[];
}

const DEFAULT_FILE = 'portcullis.yaml';

/** Reads the file named by `--config`, or the default one, which may be missing. Never throws. */
export function readConfigFile(named: string | undefined): ConfigFile {
  const path = named ?? DEFAULT_FILE;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (named === undefined && (error as { code?: string }).code === 'ENOENT') return only();
    const origin = named === undefined ? '' : ' (flag --config)';
    return only(`config ${JSON.stringify(path)}${origin}: the file cannot be read`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const origin = (offset: number): string => `${path}:${lines.linePos(offset).line}`;
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) return only(...broken.map(({ pos, message }) => `${origin(pos[0])}: ${message}`));
  const root = plainValue(document);
  if (root === undefined) return only(`${path}: must be a mapping of settings`);
  const given = new Map<ConfigField, Given>();
  const mistakes: string[] = [];
  for (const [name, value] of Object.entries(root)) {
    const place = origin(offsetOf(document, name));
    const field = CONFIG_NAMES.find((known) => known === name);
    if (field !== undefined) given.set(field, { value, origin: place });
    else mistakes.push(`${name} (${place}): there is no such setting; there are ${CONFIG_NAMES.join(', ')}`);
  }
  return { given, mistakes };
}

function only(...mistakes: readonly string[]): ConfigFile {
  return { given: new Map(), mistakes };
}

/** The mapping; an empty file is an empty one. Undefined for anything else. */
function plainValue(document: ReturnType<typeof parseDocument>): object | undefined {
  try {
    const root: unknown = document.toJS() ?? {};
    return typeof root === 'object' && root !== null && !Array.isArray(root) ? root : undefined;
  } catch {
    return undefined;
  }
}

function offsetOf(document: ReturnType<typeof parseDocument>, name: string): number {
  const node: unknown = document.get(name, true);
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}
