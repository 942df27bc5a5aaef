import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY: string = fileURLToPath(new URL('../..', import.meta.url));

const MAIN = join(REPOSITORY, 'src/cli/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running command, its output gathered. */
export class Command {
  out = '';
  err = '';
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  private readonly waiting: (() => void)[] = [];

  constructor(
    args: readonly string[],
    options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
  ) {
    const { PATH = '' } = process.env;
    this.child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd ?? REPOSITORY,
      env: { PATH, ...options.env },
    });
    const gather = (name: 'out' | 'err') => (piece: Buffer) => {
      this[name] += piece.toString('utf8');
      for (const wake of this.waiting.splice(0)) wake();
    };
    this.child.stdout.on('data', gather('out'));
    this.child.stderr.on('data', gather('err'));
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.child.once('close', (code) => {
      resolve({ code, out: this.out, err: this.err });
      for (const wake of this.waiting.splice(0)) wake();
    });
    this.ended = promise;
  }

  /** Resolves with the match once the output holds it; throws where the command ends without it. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.out);
      if (match !== null) return match;
      if (this.child.exitCode !== null)
        throw new Error(`ended with ${this.child.exitCode}: ${this.out}${this.err}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push(resolve);
      await promise;
    }
  }
}

/** Runs a command to its end, with `input` on its standard input. */
export async function run(
  args: readonly string[],
  input: string | Uint8Array = '',
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Ended> {
  const command = new Command(args, options);
  command.child.stdin.end(input);
  return await command.ended;
}

/** A new folder with these files in it. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
