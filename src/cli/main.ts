#!/usr/bin/env node
/** Which command was asked for? Each is loaded only when it runs, so that `read` starts without the server. */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const HELP = `portcullis: JSON reply contracts for OpenAI-compatible models

  portcullis serve [--upstream URL] [--port N] [--contracts FOLDER] …
  portcullis read --contract FILE [FILE…|-]
  portcullis read --ndjson
  portcullis contract check PATH…

serve takes --upstream, --upstream-key, --host, --port, --admin-host, --admin-port, --admin-token, --client-keys,
--contracts, --store, --workers, --log-level and --config; each is also PORTCULLIS_… in the environment and a line of
portcullis.yaml. Without an upstream it serves an embedded demo.

  --help, --version
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  try {
    switch (command) {
      case 'serve': {
        const { serve } = await import('./serve.ts');
        const { CONFIG_FLAGS } = await import('./config.ts');
        const { values } = parseArgs({ args: rest, options: { ...CONFIG_FLAGS, help: { type: 'boolean' } } });
        return values.help === true ? help() : await serve(values as Record<string, string | undefined>);
      }
      case 'read': {
        const options = {
          contract: { type: 'string' },
          ndjson: { type: 'boolean' },
          help: { type: 'boolean' },
        } as const;
        const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
        if (values.help === true) return help();
        if (values.ndjson === true) {
          const { readNdjson } = await import('./read-ndjson.ts');
          return await readNdjson(process.stdin, process.stdout);
        }
        const { read } = await import('./read.ts');
        return read(values.contract, positionals);
      }
      case 'contract': {
        const [verb, ...paths] = rest;
        if (verb !== 'check')
          return usage(`contract has the command "check", not ${JSON.stringify(verb ?? '')}`);
        const { positionals } = parseArgs({ args: paths, options: {}, allowPositionals: true });
        const { contractCheck } = await import('./contract-check.ts');
        return await contractCheck(positionals);
      }
      case '--version':
        process.stdout.write(`${version()}\n`);
        return 0;
      case '--help':
      case '-h':
        return help();
      default:
        return usage(
          command === undefined ? 'name a command' : `there is no command ${JSON.stringify(command)}`,
        );
    }
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
      return usage(error.message);
    }
    throw error;
  }
}

function help(): number {
  process.stdout.write(HELP);
  return 0;
}

function usage(message: string): number {
  process.stderr.write(`portcullis: ${message}\n\n${HELP}`);
  return 2;
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
