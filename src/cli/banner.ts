/** What does a newcomer see at the start? The addresses, what is not active, and lines that can be pasted as they are. */

import type { DemoModel } from '../demo/demo-models.ts';
import type { RouteState } from '../registry/registry.ts';
import { issueLines } from './contract-source.ts';

/** The models whose requests are printed: one verified, one corrected, one refused. */
const SHOWN_MODELS = ['demo/clean', 'demo/duplicate', 'demo/stubborn'];
const ASK = 'Triage this ticket.';

interface Start {
  readonly dataUrl: string;
  readonly adminUrl: string;
  /** Undefined for the demo. */
  readonly upstream: URL | undefined;
  readonly routes: readonly RouteState[];
  /** The demo's models; undefined where a real upstream is used. */
  readonly models: readonly DemoModel[] | undefined;
}

/** The text printed once both planes listen. */
export function banner(start: Start): string {
  const { dataUrl, adminUrl, upstream, routes, models } = start;
  const active = routes.filter(({ state }) => state === 'active').map(({ route }) => route);
  const lines = [
    'Portcullis: a verified object, or a refusal',
    '',
    `  data plane   ${dataUrl}/{route}/v1`,
    `  routes       ${active.join(', ') || 'none'}`,
    ...broken(routes),
    // The query is left out: some providers take their key there.
    `  upstream     ${upstream === undefined ? 'embedded demo' : `${upstream.origin}${upstream.pathname}`}`,
    `  admin plane  ${adminUrl}/   metrics, contracts, refusals`,
    '',
    ...(models === undefined ? snippet(dataUrl, active[0] ?? '{route}', undefined) : demo(dataUrl, models)),
    '',
  ];
  return lines.join('\n');
}

function broken(routes: readonly RouteState[]): readonly string[] {
  return routes.flatMap((state) =>
    state.state === 'active'
      ? []
      : [
          `  not active   ${state.route}`,
          ...issueLines(state.source, state.issues).map((line) => `               ${line}`),
        ],
  );
}

function demo(dataUrl: string, models: readonly DemoModel[]): readonly string[] {
  return [
    'Verified, corrected, refused:',
    '',
    ...SHOWN_MODELS.map((model) => `  ${curl(dataUrl, model)}`),
    '',
    'Every demo model:',
    '',
    ...models.map(({ id, shows }) => `  ${id.padEnd(17)} ${shows}`),
    '',
    ...snippet(dataUrl, 'demo', 'demo/clean'),
  ];
}

/** Three lines of the openai SDK. */
function snippet(dataUrl: string, route: string, model: string | undefined): readonly string[] {
  const key = model === undefined ? '' : ", apiKey: 'demo'";
  return [
    'openai SDK:',
    '',
    "  import OpenAI from 'openai';",
    `  const client = new OpenAI({ baseURL: '${dataUrl}/${route}/v1'${key} });`,
    `  const reply = await client.chat.completions.create({ model: '${model ?? 'MODEL'}', messages: [{ role: 'user', content: '${ASK}' }] });`,
  ];
}

/** A request that can be pasted into a shell. */
function curl(dataUrl: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: ASK }] });
  return `curl -si ${dataUrl}/demo/v1/chat/completions -H 'content-type: application/json' -d '${body}'`;
}
