import { tellProgress } from '../local/terminal/progress.ts';

/** Prints results, and meanwhile shows what is being measured. */
export class Teller {
  readonly #progress = tellProgress('starting');
  readonly tell = this.#progress.tell;

  print(text: string): void {
    this.#progress.clear();
    console.log(text);
  }

  stop(): void {
    this.#progress.stop();
  }
}
