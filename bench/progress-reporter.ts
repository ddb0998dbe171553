import { reportProgress } from '../local/terminal/progress.ts';

/** Prints results, and shows what is being measured. */
export class ProgressReporter {
  readonly #progress = reportProgress('starting');
  readonly report = this.#progress.report;

  print(text: string): void {
    this.#progress.clear();
    console.log(text);
  }

  stop(): void {
    this.#progress.stop();
  }
}
