/** How do exchanges become numbers? An observer for one exchange that counts attempts and readings as they happen. */

import type { Clock, Observer } from '../exchange/observer.ts';
import type { AttemptRequest, AttemptResult, Purpose } from '../exchange/upstream.ts';
import type { Usage } from '../exchange/usage.ts';
import type { ReadResult } from '../reader/reading.ts';
import type { Metrics } from './metrics.ts';

/** Counts one exchange's attempts and readings, and adds up its wait for the upstream. */
export class ExchangeObserver implements Observer {
  /** Milliseconds in which an upstream call of this exchange was running; overlapping calls count once. */
  upstreamMs = 0;
  private coveredUntil = 0;
  private readonly metrics: Metrics;
  private readonly route: string;
  private readonly clock: Clock;

  constructor(metrics: Metrics, route: string, clock: Clock) {
    this.metrics = metrics;
    this.route = route;
    this.clock = clock;
  }

  attempted(attempt: AttemptRequest, result: AttemptResult<unknown>, tookMs: number): void {
    const { metrics, route } = this;
    const { purpose } = attempt;
    const now = this.clock.now();
    this.upstreamMs += now - Math.max(now - tookMs, this.coveredUntil);
    this.coveredUntil = now;
    metrics.attempts.inc({ route, purpose, outcome: result.ok ? 'reply' : result.fault.kind });
    metrics.upstreamSeconds.observe({ route, purpose }, tookMs / 1000);
    if (result.ok) this.count(purpose, result.reply.usage);
  }

  read(_purpose: Purpose, result: ReadResult, tookMs: number): void {
    this.metrics.readSeconds.observe({ route: this.route }, tookMs / 1000);
    if (result.ok && result.suspectEscapes > 0) {
      this.metrics.suspectEscapes.inc({ route: this.route }, result.suspectEscapes);
    }
  }

  private count(purpose: Purpose, usage: Usage | undefined): void {
    for (const [direction, leaf] of [
      ['prompt', 'prompt_tokens'] as const,
      ['completion', 'completion_tokens'] as const,
    ]) {
      const tokens = usage?.[leaf];
      if (typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0) {
        this.metrics.tokens.inc({ route: this.route, purpose, direction }, tokens);
      }
    }
  }
}
