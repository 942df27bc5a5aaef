import { expect, it } from 'vitest';
import { Metrics } from '../../src/telemetry/metrics.ts';

/** Names and labels that dashboards hold on to. */
const PROMISED: Readonly<Record<string, readonly string[]>> = {
  portcullis_exchanges_total: ['route', 'surface', 'verdict'],
  portcullis_attempts_total: ['route', 'purpose', 'outcome'],
  portcullis_refusals_total: ['route', 'code'],
  portcullis_repairs_total: ['route', 'kind'],
  portcullis_tokens_total: ['route', 'purpose', 'direction'],
  portcullis_suspect_escapes_total: ['route'],
  portcullis_overhead_seconds: ['route'],
  portcullis_read_seconds: ['route'],
  portcullis_upstream_seconds: ['route', 'purpose'],
  portcullis_in_flight: [],
  portcullis_contract_info: ['route', 'fingerprint'],
};

it('has the promised metrics and no other, each with its labels', () => {
  const metrics = new Metrics();
  const found = metrics.registry.getMetricsAsArray() as unknown as {
    name: string;
    help: string;
    labelNames: string[];
  }[];
  expect(Object.fromEntries(found.map(({ name, labelNames }) => [name, labelNames]))).toEqual(PROMISED);
  for (const { help } of found) expect(help).toMatch(/^[A-Z].*\.$/);
});

it('counts for one instance alone', async () => {
  const [one, other] = [new Metrics(), new Metrics()];
  one.inFlight.inc();
  expect(await one.registry.metrics()).toContain('portcullis_in_flight 1');
  expect(await other.registry.metrics()).toContain('portcullis_in_flight 0');
});
