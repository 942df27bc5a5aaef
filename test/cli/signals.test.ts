import { afterEach, describe, expect, it } from 'vitest';
import { Command } from '../support/command-line.ts';

let command: Command;

afterEach(() => {
  command.child.kill('SIGKILL');
});

/** Starts the demo and asks its slow model; resolves once the exchange runs. */
async function startSlowExchange(): Promise<{ readonly slow: Promise<number>; readonly admin: string }> {
  command = new Command(['serve', '--port', '0', '--admin-port', '0']);
  const [, data = ''] = await command.says(/data plane\s+(http:\/\/[^/\s]+)/);
  const [, admin = ''] = await command.says(/admin plane\s+(http:\/\/[^/\s]+)/);
  const body = JSON.stringify({ model: 'demo/slow', messages: [{ role: 'user', content: 'Hello' }] });
  const slow = fetch(`${data}/demo/v1/chat/completions`, { method: 'POST', body }).then(
    ({ status }) => status,
    () => 0,
  );
  for (;;) {
    const ready: unknown = await (await fetch(`${admin}/readyz`)).json();
    if ((ready as { in_flight: number }).in_flight === 1) return { slow, admin };
  }
}

describe('portcullis serve, on a signal', () => {
  it('drains where one Ctrl-C comes twice, from the terminal and from npm', async () => {
    const { slow } = await startSlowExchange();
    command.child.kill('SIGINT');
    command.child.kill('SIGINT');
    command.child.kill('SIGTERM');
    expect(await slow).toBe(200);
    expect((await command.ended).code).toBe(0);
  });

  it('ends at once where it is told again', async () => {
    const { slow, admin } = await startSlowExchange();
    while (command.child.exitCode === null) {
      command.child.kill('SIGTERM');
      await fetch(`${admin}/healthz`).catch(() => undefined);
    }
    expect(await slow).toBe(0);
    expect((await command.ended).code).toBe(1);
  });
});
