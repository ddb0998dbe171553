interface Event {
  readonly at: number;
  readonly happen: () => void | Promise<void>;
}

/** What will happen, by time. */
export class Events {
  /** The next one is the last. */
  readonly #events: Event[] = [];

  add(at: number, happen: Event['happen']): void {
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1] as Event).at <= at) place -= 1;
    this.#events.splice(place, 0, { at, happen });
  }

  /**
   * Lets everything happen up to a time, and what follows from it.
   * @param set sets the clock
   */
  async until(time: number, set: (at: number) => void): Promise<void> {
    for (let next = this.#events.at(-1); next !== undefined && next.at <= time; next = this.#events.at(-1)) {
      this.#events.pop();
      set(next.at);
      await next.happen();
    }
  }
}
