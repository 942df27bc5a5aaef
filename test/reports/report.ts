/** What do the public bug reports say? Read from the folder beside this repository, where it is there. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../support/command-line.ts';

/** How an exchange ends, in the reports' words. */
export type End = 'verified' | 'corrected' | 'continued' | 'refused' | 'error' | 'passthrough';

interface Told {
  readonly id: string;
  readonly what: string;
  /** A schema, or null where the report is about no contract. */
  readonly contract: unknown;
  readonly expect: { readonly outcome: End; readonly value?: unknown };
  /** The tools of the request, as schemas by name. */
  readonly tools?: Readonly<Record<string, unknown>>;
}

/** A reply, and the answer to the correction or continuation that it may cause. */
interface ReplyReport extends Told {
  readonly kind: 'reply-text';
  readonly input: {
    readonly content: string;
    readonly finish_reason: string;
    readonly followup?: { readonly content: string; readonly finish_reason: string };
  };
}

/** The arguments of a tool call, which are read like a reply. */
interface ArgumentsReport extends Told {
  readonly kind: 'tool-arguments';
  readonly input: { readonly arguments: string | null; readonly parameters_schema: unknown };
}

/** The pieces of an upstream's event stream. `latin1`: one byte a character. */
interface StreamReport extends Told {
  readonly kind: 'sse';
  readonly input: readonly string[];
  readonly frame_encoding?: string;
}

/** An upstream's answer. */
interface AnswerReport extends Told {
  readonly kind: 'http';
  readonly input: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/** A client's request. */
export interface ClientReport extends Told {
  readonly kind: 'client';
  readonly input: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

/** What came of an upstream's answer in a report. */
export type UpstreamReport = ReplyReport | ArgumentsReport | StreamReport | AnswerReport;

const FOLDER = join(REPOSITORY, '../shared/cases/reports');

/** Every report; none where the folder is not there. */
export const REPORTS: readonly (UpstreamReport | ClientReport)[] = existsSync(FOLDER)
  ? readdirSync(FOLDER).map((name) => exactJson(readFileSync(join(FOLDER, name), 'utf8')) as UpstreamReport)
  : [];

/** The schema that a report's reply is held to. */
export function schemaOf(report: UpstreamReport | ClientReport): unknown {
  return report.kind === 'tool-arguments' ? report.input.parameters_schema : report.contract;
}

/** Parses JSON, with integers that a double cannot hold as their digits. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? context?.source
      : value,
  );
}
