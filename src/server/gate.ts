/** What do all exchanges of one instance share? Its upstream, contracts, numbers, log, and the list of what is running. */

import type { Logger } from 'pino';
import type { Clock } from '../exchange/observer.ts';
import type { Registry } from '../registry/registry.ts';
import type { RefusalLog } from '../store/refusal-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { HttpUpstream } from '../transport/http-upstream.ts';
import type { Running } from './running.ts';
import type { ServeOptions } from './serve-options.ts';

export interface Gate {
  readonly options: ServeOptions;
  readonly registry: Registry;
  readonly upstream: HttpUpstream;
  readonly metrics: Metrics;
  readonly refusals: RefusalLog;
  readonly log: Logger;
  readonly clock: Clock;
  readonly running: Running;
}
