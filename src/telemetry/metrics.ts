/**
 * Which numbers does an operator see? Every metric once, with its unit and labels. Route labels come from registered
 * routes only; exchanges without a route have the label `-`.
 */

import { Counter, Gauge, Histogram, Registry as PromRegistry } from 'prom-client';

/** The route label of exchanges under `/v1/` without a registered contract. */
export const NO_ROUTE = '-';

const SECONDS_SHORT = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const SECONDS_LONG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** All metrics of one instance. */
export class Metrics {
  readonly registry: PromRegistry = new PromRegistry();
  readonly exchanges: Counter<'route' | 'surface' | 'verdict'>;
  readonly attempts: Counter<'route' | 'purpose' | 'outcome'>;
  readonly refusals: Counter<'route' | 'code'>;
  readonly repairs: Counter<'route' | 'kind'>;
  readonly tokens: Counter<'route' | 'purpose' | 'direction'>;
  readonly suspectEscapes: Counter<'route'>;
  readonly overheadSeconds: Histogram<'route'>;
  readonly readSeconds: Histogram<'route'>;
  readonly upstreamSeconds: Histogram<'route' | 'purpose'>;
  readonly inFlight: Gauge;
  readonly contractInfo: Gauge<'route' | 'fingerprint'>;

  constructor() {
    const registers = [this.registry];
    this.exchanges = new Counter({
      name: 'portcullis_exchanges_total',
      help: 'Exchanges by the way they ended.',
      labelNames: ['route', 'surface', 'verdict'],
      registers,
    });
    this.attempts = new Counter({
      name: 'portcullis_attempts_total',
      help: 'Upstream calls by purpose and outcome.',
      labelNames: ['route', 'purpose', 'outcome'],
      registers,
    });
    this.refusals = new Counter({
      name: 'portcullis_refusals_total',
      help: 'Refused exchanges by code.',
      labelNames: ['route', 'code'],
      registers,
    });
    this.repairs = new Counter({
      name: 'portcullis_repairs_total',
      help: 'Repairs in replies that were handed on, by kind.',
      labelNames: ['route', 'kind'],
      registers,
    });
    this.tokens = new Counter({
      name: 'portcullis_tokens_total',
      help: 'Tokens that upstreams reported, by purpose and direction (prompt, completion).',
      labelNames: ['route', 'purpose', 'direction'],
      registers,
    });
    this.suspectEscapes = new Counter({
      name: 'portcullis_suspect_escapes_total',
      help: 'Strings in valid replies that decode to a backspace or form feed, as LaTeX read wrongly does.',
      labelNames: ['route'],
      registers,
    });
    this.overheadSeconds = new Histogram({
      name: 'portcullis_overhead_seconds',
      help: 'Time of an exchange less the wait for the upstream.',
      labelNames: ['route'],
      buckets: SECONDS_SHORT,
      registers,
    });
    this.readSeconds = new Histogram({
      name: 'portcullis_read_seconds',
      help: 'Time to read one reply under its contract.',
      labelNames: ['route'],
      buckets: SECONDS_SHORT,
      registers,
    });
    this.upstreamSeconds = new Histogram({
      name: 'portcullis_upstream_seconds',
      help: 'Time of one upstream call, from sending to the last byte.',
      labelNames: ['route', 'purpose'],
      buckets: SECONDS_LONG,
      registers,
    });
    this.inFlight = new Gauge({
      name: 'portcullis_in_flight',
      help: 'Exchanges that are running.',
      registers,
    });
    this.contractInfo = new Gauge({
      name: 'portcullis_contract_info',
      help: 'Active contracts: 1 for each route and fingerprint.',
      labelNames: ['route', 'fingerprint'],
      registers,
    });
  }
}
