import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileContract } from '../../src/contract/compile-contract.ts';
import { joinContinuation } from '../../src/exchange/join-continuation.ts';
import { readReply } from '../../src/reader/read-reply.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ask, startPortcullis } from '../support/portcullis.ts';
import { answer, type Script, ScriptedUpstream, says } from '../support/scripted-upstream.ts';

interface Report {
  readonly id: string;
  readonly what: string;
  readonly kind: 'reply-text' | 'tool-arguments' | 'sse' | 'http' | 'client';
  readonly policy_call?: boolean;
  readonly frame_encoding?: string;
  readonly contract: unknown;
  readonly input: unknown;
  readonly expect: { readonly outcome: string; readonly value?: unknown };
}

interface ReplyInput {
  readonly content?: string | null;
  readonly arguments?: string | null;
  readonly parameters_schema?: unknown;
  readonly finish_reason?: string;
  readonly followup?: { readonly content: string; readonly finish_reason: string };
}

const FOLDER = join(REPOSITORY, '../shared/cases/reports');

/** Where this version decides otherwise than the report, or cannot decide yet: never a wrong value, but another end. */
const OTHERWISE: Readonly<Record<string, string>> = {
  '013': 'the keyword pattern is an error at load in this version',
  '035': 'a reply that stops inside the object is a cut whatever its finish reason, so it is continued',
  '037': 'a closer is never added: the reply is continued',
  '067': 'the number may be cut, and the reply is continued rather than asked for again',
  '069': 'tool calls are not enforced in this version',
  '073': 'covered by the exchange tests: the reader alone refuses',
  '075': 'the refusal is of the continued reply: code cut',
  '094': 'a closer is never added: the reply is continued',
  '106': 'arguments of tools without parameters are not read in this version',
  '108': 'arguments of tools without parameters are not read in this version',
  '116': 'the keyword pattern is an error at load in this version',
  '118': 'strings are not decoded inside the object in this version',
  '120': 'strings are not decoded inside the object in this version',
  '128': 'a bracket of the wrong kind is not replaced',
  '138': 'a number is never changed, nor what stands beside it left out',
  '164': 'a stream that ends early is an upstream failure, 502, with its own code',
  '174': 'tool calls are not enforced in this version',
  '176': 'tool calls are not enforced in this version',
  '178': 'tool calls are not enforced in this version',
  '192': 'a declined reply is refused with its own code and the text of the refusal',
  '194': 'a declined reply is refused with its own code and the text of the refusal',
  '208': 'tool calls are not enforced in this version',
  '212': 'tool calls are not enforced in this version',
  '214': 'without a contract an upstream error is streamed through as it came',
};

const reports: readonly Report[] = existsSync(FOLDER)
  ? readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Report)
  : [];
if (reports.length === 0)
  process.stdout.write('skipped: the public bug reports are not beside this repository\n');

/** What came of a report: an outcome in its words, and the value where there is one. */
interface Came {
  readonly outcome: string;
  readonly value?: unknown;
}

function judge(report: Report, came: Came): void {
  const wanted = report.expect;
  if (came.outcome === 'verified' && wanted.value !== undefined) expect(came.value).toEqual(wanted.value);
  if (came.outcome === 'verified' && wanted.value === undefined) expect(wanted.outcome).toBe('passthrough');
  if (OTHERWISE[report.id] === undefined)
    expect(came).toEqual({
      outcome: wanted.outcome,
      ...(wanted.value === undefined ? {} : { value: wanted.value }),
    });
}

function read(report: Report): Came {
  const input = report.input as ReplyInput;
  const compiled = compileContract({ reply: report.contract ?? input.parameters_schema });
  if (!compiled.ok) return { outcome: 'refused' };
  const { contract } = compiled;
  const text = input.content ?? input.arguments ?? '';
  const { followup } = input;
  const first = readReply(text, contract, { finish: input.finish_reason === 'length' ? 'length' : 'stop' });
  if (first.ok) return { outcome: 'verified', value: JSON.parse(first.text) };
  if (first.fault.code === 'cut') {
    if (followup === undefined) return { outcome: 'continued' };
    const finish = followup.finish_reason === 'length' ? 'length' : 'stop';
    const joined = joinContinuation(text, followup.content, contract, { finish });
    return joined.ok
      ? { outcome: 'continued', value: JSON.parse(joined.text) }
      : { outcome: finish === 'length' ? 'error' : 'refused' };
  }
  if (followup === undefined) return { outcome: 'refused' };
  const second = readReply(followup.content, contract);
  return second.ok ? { outcome: 'corrected', value: JSON.parse(second.text) } : { outcome: 'refused' };
}

describe.runIf(reports.length > 0)('public bug reports', () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });
  afterAll(async () => {
    await upstream.close();
  });

  for (const report of reports) {
    const { id, kind, what } = report;
    const name = `${id} ${what}${OTHERWISE[id] === undefined ? '' : ` (otherwise: ${OTHERWISE[id]})`}`;
    if (kind === 'reply-text' || kind === 'tool-arguments') it(name, () => judge(report, read(report)));
    else if (kind === 'client') it(name, async () => await judgeClient(report, upstream));
    else it(name, async () => judge(report, await exchange(report, upstream)));
  }
});

/** What a real exchange makes of an upstream's stream or body. */
async function exchange(report: Report, upstream: ScriptedUpstream): Promise<Came> {
  const contracts: Record<string, unknown> =
    report.contract === null ? {} : { r: { reply: report.contract } };
  const portcullis = await startPortcullis(upstream.url, contracts);
  upstream.script(scriptOf(report), says('never sent'));
  const response = await portcullis.chat(
    report.contract === null ? undefined : 'r',
    ask({ stream: report.kind === 'sse' }),
  );
  const came = await cameOf(response, upstream);
  await portcullis.close();
  return came;
}

function scriptOf(report: Report): Script {
  if (report.kind === 'sse') {
    const encoding = report.frame_encoding?.startsWith('latin1') === true ? 'latin1' : 'utf8';
    return (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of report.input as readonly string[]) response.write(Buffer.from(chunk, encoding));
      response.end();
    };
  }
  const { status, headers, body } = report.input as {
    status: number;
    headers: Record<string, string>;
    body: string;
  };
  // The report says what was compressed; its body is given in clear.
  return (_request, response) => {
    const gzipped = headers['content-encoding'] === 'gzip' && status === 200;
    if (gzipped) {
      void import('node:zlib').then(({ gzipSync }) =>
        response.writeHead(status, headers).end(gzipSync(body)),
      );
    } else response.writeHead(status, headers).end(body);
  };
}

async function cameOf(response: Response, upstream: ScriptedUpstream): Promise<Came> {
  const text = await response.text();
  const verdict = response.headers.get('x-portcullis-verdict');
  // A second call was asked for: what it brings is not the report's.
  if (upstream.seen.length > 1) return { outcome: 'continued' };
  if (verdict === 'refused') return { outcome: 'refused' };
  if (!response.ok) {
    const passed =
      response.headers.get('content-type') === 'application/json' && !/"code":"upstream_/.test(text);
    return { outcome: passed ? 'passthrough' : 'error' };
  }
  if (verdict === 'passthrough') return { outcome: 'passthrough' };
  const contents = new Map<number, string>();
  const body = text.startsWith('data:') ? eventsOf(text) : [JSON.parse(text) as Envelope];
  for (const { choices } of body) {
    for (const { index, delta, message } of choices) {
      contents.set(index, (contents.get(index) ?? '') + ((delta ?? message)?.content ?? ''));
    }
  }
  const values = [...contents].map(([index, content]) => [index, JSON.parse(content)] as const);
  return { outcome: 'verified', value: values.length === 1 ? values[0]?.[1] : Object.fromEntries(values) };
}

interface Envelope {
  readonly choices: readonly {
    readonly index: number;
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content?: string };
  }[];
}

function eventsOf(text: string): Envelope[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as Envelope);
}

/** What the proxy owes a client in the situation that the report tells of. */
async function judgeClient(report: Report, upstream: ScriptedUpstream): Promise<void> {
  const { method, headers, body } = report.input as {
    method: string;
    headers: Record<string, string>;
    body: Record<string, unknown> | null;
  };
  const base = report.id === '226' ? `${upstream.url}?api-version=1` : upstream.url;
  const portcullis = await startPortcullis(base, { r: { reply: report.contract ?? true } });
  const url = `${portcullis.dataUrl}/${report.contract === null ? '' : 'r/'}v1/chat/completions`;
  const { 'access-control-request-headers': _dropped, ...sent } = headers;
  const init = {
    method,
    headers: { 'content-type': 'application/json', ...sent },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  };
  const call = async (...scripts: readonly Script[]): Promise<Response> => {
    upstream.script(...scripts);
    return await fetch(url, init);
  };
  switch (report.id) {
    case '216':
      expect((await call(says('{}'))).status).toBe(405);
      break;
    case '218': {
      const response = await call(says('{"x":1}'));
      expect([response.status, response.headers.get('x-should-retry'), upstream.seen.length]).toEqual([
        400,
        'false',
        2,
      ]);
      break;
    }
    case '220':
      expect(await (await call(says('{"t":"hi"}'))).text()).not.toContain('usage');
      break;
    case '222':
      expect((await call(says('{"x":1}'))).status).toBe(400);
      break;
    case '224':
      expect((await call(says('{'), says('{"t":"hi"}'))).headers.get('x-portcullis-verdict')).toMatch(
        /corrected|continued/,
      );
      break;
    case '226':
      await call(answer(200, '{}'));
      expect(upstream.seen[0]?.url).toBe('/v1/chat/completions?api-version=1');
      break;
    case '228':
      expect((await call(says('{"t":"hi"}'))).headers.get('x-portcullis-verdict')).toBe('verified');
      break;
    default:
      throw new Error(`no judgement for client report ${report.id}`);
  }
  await portcullis.close();
}
