/** What does a real proxy make of a report's upstream? The exchange is run over sockets and told in the reports' words. */

import { gzipSync } from 'node:zlib';
import { ask, type Started } from '../support/portcullis.ts';
import { answer, completionBody, type Script, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { type End, exactJson, type UpstreamReport } from './report.ts';

/** How a report's exchange ended, and with which value. */
export interface Came {
  readonly outcome: End | 'unavailable';
  readonly value?: unknown;
}

/** Runs a report's exchange on the route of its id, or on none where it has no contract. */
export async function runReport(
  report: UpstreamReport,
  upstream: ScriptedUpstream,
  portcullis: Started,
): Promise<Came> {
  upstream.script(...scriptsOf(report));
  const tools = Object.entries(report.tools ?? {}).map(([name, parameters]) => ({
    type: 'function',
    function: { name, parameters },
  }));
  const body = ask({
    stream: report.kind === 'sse',
    // 172 is about two choices.
    n: report.id === '172' ? 2 : 1,
    ...(tools.length === 0 ? {} : { tools }),
  });
  const route = report.contract === null && report.kind !== 'tool-arguments' ? undefined : `r${report.id}`;
  const response = await portcullis.chat(route, body);
  return cameOf(report, response, await response.text());
}

function scriptsOf(report: UpstreamReport): readonly Script[] {
  switch (report.kind) {
    case 'reply-text': {
      const { content, finish_reason: finish, followup } = report.input;
      const second =
        followup === undefined
          ? { content: '' }
          : { content: followup.content, finish: followup.finish_reason };
      return [answer(200, completionBody([{ content, finish }])), answer(200, completionBody([second]))];
    }
    case 'tool-arguments':
      return [
        answer(200, completionBody([{ content: report.input.arguments }])),
        answer(200, completionBody([{ content: '' }])),
      ];
    case 'sse': {
      const encoding = report.frame_encoding?.startsWith('latin1') === true ? 'latin1' : 'utf8';
      return [
        (_request, response): void => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const piece of report.input) response.write(Buffer.from(piece, encoding));
          response.end();
        },
        answer(200, completionBody([{ content: '' }])),
      ];
    }
    case 'http': {
      const { status, headers, body } = report.input;
      // 186: the report tells the body in clear; 188 is about one that is not compressed although its header says so.
      const packed = headers['content-encoding'] === 'gzip' && report.expect.outcome === 'verified';
      return [answer(status, packed ? gzipSync(body) : body, headers)];
    }
  }
}

interface Refused {
  readonly error: { readonly portcullis: { readonly first?: { readonly code: string } } };
}

function cameOf(report: UpstreamReport, response: Response, text: string): Came {
  const { headers, status } = response;
  if (status === 503 && text.includes('"contract_unavailable"')) return { outcome: 'unavailable' };
  switch (headers.get('x-portcullis-verdict')) {
    case 'verified':
    case 'repaired':
      return { outcome: 'verified', value: valueIn(text) };
    case 'corrected':
      return { outcome: 'corrected', value: valueIn(text) };
    case 'continued':
      return { outcome: 'continued', value: valueIn(text) };
    case 'passthrough':
      return { outcome: 'passthrough' };
    case 'refused': {
      const { portcullis } = (JSON.parse(text) as Refused).error;
      const wasContinued =
        portcullis.first?.code === 'cut' && !(report.kind === 'reply-text' && report.input.followup);
      return { outcome: wasContinued ? 'continued' : 'refused' };
    }
    default: {
      const same = report.kind === 'http' && report.input.status === status && report.input.body === text;
      return { outcome: same ? 'passthrough' : 'error' };
    }
  }
}

interface Envelope {
  readonly choices: readonly {
    readonly index: number;
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content: string };
  }[];
}

/** The value of the only choice, or of each by its index. */
function valueIn(text: string): unknown {
  const contents = new Map<number, string>();
  for (const { choices } of envelopesOf(text)) {
    for (const { index, delta, message } of choices)
      contents.set(index, (contents.get(index) ?? '') + (message?.content ?? delta?.content ?? ''));
  }
  const values = [...contents].map(([index, content]) => [index, exactJson(content)] as const);
  return values.length === 1 ? values[0]?.[1] : Object.fromEntries(values);
}

function envelopesOf(text: string): readonly Envelope[] {
  if (!text.startsWith('data:')) return [JSON.parse(text) as Envelope];
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Envelope);
}
