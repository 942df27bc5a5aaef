/** What does a newcomer see at the start? The addresses, and lines that can be pasted as they are. */

import type { DemoModel } from '../demo/demo-models.ts';
import type { RouteState } from '../registry/registry.ts';

/** The text printed once both planes listen. `demo` is undefined where a real upstream is used. */
export function banner(from: {
  readonly dataUrl: string;
  readonly adminUrl: string;
  readonly upstream: string;
  readonly routes: readonly RouteState[];
  readonly demo: readonly DemoModel[] | undefined;
}): string {
  const { dataUrl, adminUrl, routes, demo } = from;
  const active = routes.filter(({ state }) => state === 'active').map(({ route }) => route);
  const route = demo === undefined ? (active[0] ?? '{route}') : 'demo';
  const lines = [
    'Portcullis: a verified object, or a refusal',
    '',
    `  data plane   ${dataUrl}/{route}/v1   routes: ${active.join(', ') || 'none'}`,
    `  admin plane  ${adminUrl}/   metrics, contracts, refusals`,
    `  upstream     ${from.upstream}`,
    '',
    'openai SDK:',
    '',
    "  import OpenAI from 'openai';",
    `  const client = new OpenAI({ baseURL: '${dataUrl}/${route}/v1', apiKey: ${demo === undefined ? 'process.env.OPENAI_API_KEY' : "'demo'"} });`,
    `  await client.chat.completions.create({ model: '${demo === undefined ? 'MODEL' : 'demo/clean'}', messages: [{ role: 'user', content: 'Triage this.' }] });`,
    '',
  ];
  if (demo !== undefined) {
    lines.push('Try it (verified, corrected, refused):', '');
    for (const model of ['demo/clean', 'demo/duplicate', 'demo/stubborn'])
      lines.push(`  ${curl(dataUrl, model)}`);
    lines.push('', 'Demo models:', '', ...demo.map(({ id, shows }) => `  ${id.padEnd(17)} ${shows}`), '');
  }
  return lines.join('\n');
}

/** A request that can be pasted into a shell. */
function curl(dataUrl: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Triage this.' }] });
  return `curl -si ${dataUrl}/demo/v1/chat/completions -H 'content-type: application/json' -d '${body}'`;
}
