import { showProgress } from '../local/terminal/progress.ts';

/** Prints results, and meanwhile shows what is being measured. */
export class Teller {
  #state = 'starting';
  readonly #progress = showProgress(() => this.#state);

  readonly tell = (state: string): void => {
    this.#state = state;
  };

  print(text: string): void {
    this.#progress.clear();
    console.log(text);
  }

  stop(): void {
    this.#progress.stop();
  }
}
