/** Counts things that begin and end, such as requests. */
export class InFlight {
  #size = 0;
  readonly #none = new Set<() => void>();

  get size(): number {
    return this.#size;
  }

  /** Adds one, until the result is disposed. */
  enter(): Disposable {
    this.#size++;
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** Resolves as soon as there are none. */
  async none(): Promise<void> {
    if (this.#size > 0) await new Promise<void>((resolve) => this.#none.add(resolve));
  }

  #leave(): void {
    this.#size--;
    if (this.#size > 0) return;
    for (const resolve of this.#none) resolve();
    this.#none.clear();
  }
}
