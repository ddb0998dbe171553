import { Session } from 'node:inspector';

/** What V8 counts: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#method-takePreciseCoverage */
interface Coverage {
  readonly result: readonly {
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/**
 * Counts the blocks of JavaScript that run: the bodies of functions, branches and loops, those of libraries too. The count is the same
 * on every machine, however busy it is. What V8 does by itself (patterns, `JSON.parse`, `indexOf`) counts as nothing.
 */
export class StepCounter {
  readonly #session = new Session();

  /** Counts only in modules that are loaded afterwards. */
  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** How many blocks run while something synchronous is done. */
  stepsOf(work: () => void): number {
    this.#take();
    work();
    const scripts = this.#take().result;
    const ranges = scripts.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
    return ranges.reduce((sum, { count }) => sum + count, 0);
  }

  /** What was counted since it was taken last. */
  #take(): Coverage {
    let taken: Coverage | undefined;
    // Answers before it returns: the session is one of this very thread.
    this.#session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error !== null) throw error;
      taken = coverage;
    });
    if (taken === undefined) throw new Error('V8 has counted nothing.');
    return taken;
  }
}
