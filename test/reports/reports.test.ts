import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Started, startPortcullis } from '../support/portcullis.ts';
import { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { judgeClient } from './clients.ts';
import { type Came, runReport } from './exchange.ts';
import { OTHERWISE } from './otherwise.ts';
import { REPORTS, schemaOf, type UpstreamReport } from './report.ts';

const otherwise = Object.keys(OTHERWISE);
process.stdout.write(
  REPORTS.length === 0
    ? 'skipped: the public bug reports are not beside this repository\n'
    : `public bug reports: ${REPORTS.length}, of these decided otherwise: ${otherwise.join(' ')}\n`,
);

describe.runIf(REPORTS.length > 0)('public bug reports', () => {
  let upstream: ScriptedUpstream;
  let portcullis: Started;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
    const contracts = REPORTS.filter((report) => schemaOf(report) !== null).map((report) => [
      `r${report.id}`,
      { reply: schemaOf(report) },
    ]);
    // 226 is about a base URL with a query.
    portcullis = await startPortcullis(`${upstream.url}?api-version=1`, Object.fromEntries(contracts));
  });
  afterAll(async () => {
    await portcullis.close();
    await upstream.close();
  });

  for (const report of REPORTS) {
    const { id, what } = report;
    const why = OTHERWISE[id]?.why;
    it(`${id} ${what}${why === undefined ? '' : ` (otherwise: ${why})`}`, async () => {
      if (report.kind === 'client') await judgeClient(report, upstream, portcullis);
      else judge(report, await runReport(report, upstream, portcullis));
    });
  }

  it('are all there that are decided otherwise', () => {
    const ids = new Set(REPORTS.map(({ id }) => id));
    expect(otherwise.filter((id) => !ids.has(id))).toEqual([]);
  });
});

function judge(report: UpstreamReport, came: Came): void {
  const { outcome, value } = report.expect;
  const other = OTHERWISE[report.id];
  // A value that is handed on as verified must be the right one, whatever else is decided otherwise.
  if ('value' in came && value !== undefined) expect(came.value).toEqual(value);
  if (other !== undefined) {
    expect(came.outcome).not.toBe(outcome);
    expect(came.outcome).toBe(other.comes);
    return;
  }
  // The reports call it an error too where no second reply can be used.
  const wanted = outcome === 'error' && report.kind === 'reply-text' ? 'refused' : outcome;
  expect(came.outcome).toBe(wanted);
  if (value !== undefined) expect(came.value).toEqual(value);
}
