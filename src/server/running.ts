/** Which requests are running, and how do they end when the process must? They get time, then they are cancelled. */

/** The requests of one instance that have not been answered whole. */
export class Running {
  /** True once no further request is taken. */
  draining = false;
  private readonly aborts = new Set<AbortController>();
  private readonly idle: (() => void)[] = [];

  get count(): number {
    return this.aborts.size;
  }

  /** Registers a request; call `end` once it has been answered or its client has gone. */
  start(): { readonly abort: AbortController; readonly end: () => void } {
    const abort = new AbortController();
    this.aborts.add(abort);
    return {
      abort,
      end: () => {
        this.aborts.delete(abort);
        if (this.aborts.size === 0) for (const wake of this.idle.splice(0)) wake();
      },
    };
  }

  /** Waits until nothing runs, at most `drainMs`, then cancels the rest. */
  async drain(drainMs: number): Promise<void> {
    this.draining = true;
    if (this.aborts.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.idle.push(resolve);
    const timer = setTimeout(resolve, drainMs);
    await promise;
    clearTimeout(timer);
    for (const abort of this.aborts) abort.abort();
  }
}
