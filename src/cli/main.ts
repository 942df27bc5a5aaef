#!/usr/bin/env node
/** Which command was asked for? Each is loaded only when it runs, so that `read` starts without the server. */

import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { HELP, type HelpTopic } from './help.ts';
import { inert } from './inert.ts';

const USAGE = 2;

const [command = '', ...rest] = process.argv.slice(2);
// Whoever read our output has gone (`| head`): that ends the other commands, the proxy goes on without.
process.stdout.on('error', () => {
  if (command !== 'serve') process.exit(1);
});
process.exitCode = await run(command, rest);

async function run(name: string, args: readonly string[]): Promise<number> {
  switch (name) {
    case 'serve':
      return await runServe(args);
    case 'read':
      return await runRead(args);
    case 'contract':
      return await runContract(args);
    case '--version':
      return print(`${version()}\n`);
    case '--help':
    case '-h':
      return print(HELP.portcullis);
    case '':
      process.stderr.write(HELP.portcullis);
      return USAGE;
    default:
      return misuse('portcullis', `there is no command ${JSON.stringify(name)}`);
  }
}

async function runServe(args: readonly string[]): Promise<number> {
  const { CONFIG_FLAGS } = await import('./config-fields.ts');
  const options = Object.fromEntries(CONFIG_FLAGS.map((flag) => [flag, { type: 'string' } as const]));
  const parsed = parse({ args, options });
  if (!parsed.ok) return misuse('serve', parsed.mistake);
  if (parsed.help) return print(HELP.serve);
  const { serve } = await import('./serve.ts');
  return await serve(parsed.values);
}

async function runRead(args: readonly string[]): Promise<number> {
  const options = { contract: { type: 'string' }, ndjson: { type: 'boolean' } } as const;
  const parsed = parse({ args, options, allowPositionals: true });
  if (!parsed.ok) return misuse('read', parsed.mistake);
  if (parsed.help) return print(HELP.read);
  const { contract } = parsed.values;
  if (parsed.flags.has('ndjson')) {
    if (contract !== undefined || parsed.positionals.length > 0) {
      return misuse('read', '--ndjson takes replies and contracts from standard input alone');
    }
    const { readNdjson } = await import('./read-ndjson.ts');
    await readNdjson(process.stdin, process.stdout);
    return 0;
  }
  if (contract === undefined) return misuse('read', '--contract FILE or --ndjson is needed');
  const { read } = await import('./read.ts');
  return await read(contract, parsed.positionals);
}

async function runContract(args: readonly string[]): Promise<number> {
  const parsed = parse({ args, options: {}, allowPositionals: true });
  if (!parsed.ok) return misuse('contract', parsed.mistake);
  if (parsed.help) return print(HELP.contract);
  const [verb, ...paths] = parsed.positionals;
  if (verb === undefined) return misuse('contract', 'name what to do: check');
  if (verb !== 'check')
    return misuse('contract', `there is no "contract ${verb}"; there is "contract check"`);
  if (paths.length === 0) return misuse('contract', 'name at least one file or folder');
  const { contractCheck } = await import('./contract-check.ts');
  return await contractCheck(paths);
}

type Parsed =
  | {
      readonly ok: true;
      readonly help: boolean;
      readonly values: Readonly<Record<string, string | undefined>>;
      /** The flags without a value that were given. */
      readonly flags: ReadonlySet<string>;
      readonly positionals: readonly string[];
    }
  | { readonly ok: false; readonly mistake: string };

function parse(config: ParseArgsConfig): Parsed {
  try {
    const options = { ...config.options, help: { type: 'boolean', short: 'h' } } as const;
    const { values, positionals } = parseArgs({ ...config, options });
    const given = Object.entries(values);
    return {
      ok: true,
      help: values.help === true,
      values: Object.fromEntries(
        given.flatMap(([flag, value]) => (typeof value === 'string' ? [[flag, value]] : [])),
      ),
      flags: new Set(given.flatMap(([flag, value]) => (value === true ? [flag] : []))),
      positionals,
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's first sentence says what is wrong; the ones after it are about escaping.
    return { ok: false, mistake: error.message.split(/\.\s/)[0] ?? error.message };
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function misuse(topic: HelpTopic, mistake: string): number {
  const name = topic === 'portcullis' ? topic : `portcullis ${topic}`;
  process.stderr.write(`${name}: ${inert(mistake)}\n${name} --help lists what there is\n`);
  return USAGE;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
