import { afterEach, describe, expect, it } from 'vitest';
import { Command, folderWith, run } from '../support/command-line.ts';

const FREE = ['--port', '0', '--admin-port', '0'];
let serving: Command | undefined;

afterEach(() => {
  serving?.child.kill('SIGKILL');
});

async function serve(
  args: readonly string[] = [],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<{ command: Command; data: string; admin: string }> {
  const command = new Command(['serve', ...FREE, ...args], options);
  serving = command;
  const [, data = ''] = await command.says(/data plane\s+(http:\/\/[^/\s]+)/);
  const [, admin = ''] = await command.says(/admin plane\s+(http:\/\/[^/\s]+)/);
  return { command, data, admin };
}

describe('portcullis serve', () => {
  it('serves the demo and prints lines that can be pasted', async () => {
    const { command, data, admin } = await serve();
    await command.says(/demo\/slow/);
    expect(command.out).toContain(`baseURL: '${data}/demo/v1'`);
    const curl = /curl [^\n]+demo\/clean[^\n]+/.exec(command.out)?.[0] ?? '';
    expect(curl).toContain(`${data}/demo/v1/chat/completions`);
    const body = /-d '([^']+)'/.exec(curl)?.[1] ?? '';
    const response = await fetch(`${data}/demo/v1/chat/completions`, { method: 'POST', body });
    expect(response.headers.get('x-portcullis-verdict')).toBe('verified');
    expect((await fetch(`${admin}/readyz`)).status).toBe(200);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`lets a running exchange end on ${signal} and exits 0`, async () => {
      const { command, data } = await serve();
      const body = JSON.stringify({ model: 'demo/slow', messages: [{ role: 'user', content: 'Hello' }] });
      const slow = fetch(`${data}/demo/v1/chat/completions`, { method: 'POST', body });
      const logged = Promise.withResolvers<void>();
      command.child.stderr.on('data', (piece: Buffer) => {
        if (piece.toString().includes('stopping')) logged.resolve();
      });
      // The exchange is under way once its connection is counted.
      await (async (): Promise<void> => {
        const [, admin = ''] = await command.says(/admin plane\s+(http:\/\/[^/\s]+)/);
        for (;;) {
          const { in_flight: running } = (await (await fetch(`${admin}/readyz`)).json()) as {
            in_flight: number;
          };
          if (running === 1) return;
        }
      })();
      command.child.kill(signal);
      await logged.promise;
      expect((await slow).status).toBe(200);
      expect((await command.ended).code).toBe(0);
    });
  }

  it('lists every mistake in the settings with its place, and starts nothing', async () => {
    const cwd = folderWith({
      'portcullis.yaml': 'host: 0.0.0.0\nupstream_key: k\nstore: redis://x\nwrong: 1\n',
    });
    const { code, out, err } = await run(['serve', '--port', 'x'], '', {
      cwd,
      env: { PORTCULLIS_UPSTREAM: 'http://h/v2', PORTCULLIS_ADMIN_HOST: '::' },
    });
    expect(code).toBe(2);
    expect(out).toBe('');
    for (const part of [
      'port "x" (flag --port): must be a whole number from 0 to 65535',
      'upstream "http://h/v2" (environment PORTCULLIS_UPSTREAM): must be an http or https URL whose path ends in /v1',
      'store "redis://x" (portcullis.yaml:3)',
      'wrong (portcullis.yaml:4)',
      'client_keys',
      'admin_token',
    ]) {
      expect(err).toContain(part);
    }
  });

  it('takes a flag before the environment, and the environment before the file', async () => {
    const cwd = folderWith({ 'portcullis.yaml': 'log_level: wrong-file\n' });
    const env = { PORTCULLIS_LOG_LEVEL: 'wrong-env' };
    expect((await run(['serve', '--log-level', 'wrong-flag'], '', { cwd, env })).err).toContain('wrong-flag');
    expect((await run(['serve'], '', { cwd, env })).err).toContain('wrong-env');
    expect((await run(['serve'], '', { cwd })).err).toContain('wrong-file');
  });

  it('never prints a secret', async () => {
    const { err } = await run(['serve', '--upstream-key', 'se cret', '--admin-token', 'to ken'], '');
    expect(err).toContain('upstream_key');
    expect(err).not.toMatch(/se cret|to ken/);
  });

  it('names the port that is in use, and exits 1', async () => {
    const { admin } = await serve();
    const { port } = new URL(admin);
    const { code, err } = await run(['serve', '--port', port, '--admin-port', '0']);
    expect(code).toBe(1);
    expect(err).toContain(port);
    expect(err).toContain('--port');
  });

  it('serves the other routes where one contract is broken, and says which and why', async () => {
    const contracts = folderWith({ 'good.yaml': 'keys: {top: [a]}', 'bad.yaml': 'reply:\n  type: objekt\n' });
    const { command, data } = await serve(['--contracts', contracts, '--upstream', 'http://127.0.0.1:9/v1']);
    await command.says(/good/);
    const response = await fetch(`${data}/bad/v1/chat/completions`, {
      method: 'POST',
      body: '{"messages":[]}',
    });
    expect(response.status).toBe(503);
    expect(command.err + command.out).toContain('reply.type');
  });
});

describe('portcullis', () => {
  it('explains itself, and tells a wrong command from a right one', async () => {
    expect(await run(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('portcullis serve'),
    });
    expect(await run(['sevre'])).toMatchObject({ code: 2, err: expect.stringContaining('"sevre"') });
    expect(await run(['serve', '--prot', '1'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--prot'),
    });
  });
});
