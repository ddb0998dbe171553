/** Something that is carried out after everything before it that has a name in common. */
interface Named {
  readonly names: readonly string[];
}

interface Carrying<T, R> {
  /** How many are carried out at the same time. */
  readonly atOnce: number;
  readonly carryOut: (one: T) => Promise<R>;
  /** Whether a result says that it is to be sent again: what comes after it in order must not overtake it. */
  readonly isUndecided: (result: R) => boolean;
  readonly leaveOut: (one: T) => R;
}

/**
 * Runs operations; those with a common name one after another. When the outcome of one is unknown, the later ones of
 * its name are left out, so that none overtakes it when all are sent again.
 * @returns the results, in the order of `all`
 */
export function inOrder<T extends Named, R>(
  all: readonly T[],
  { atOnce, carryOut, isUndecided, leaveOut }: Carrying<T, R>,
): Promise<R[]> {
  const slots = new Slots(atOnce);
  const last = new Map<string, Promise<R>>();
  const results = all.map((one) => {
    const before = new Set(one.names.flatMap((name) => last.get(name) ?? []));
    const result = Promise.all(before).then((earlier) =>
      earlier.some(isUndecided) ? leaveOut(one) : slots.run(() => carryOut(one)),
    );
    for (const name of one.names) last.set(name, result);
    return result;
  });
  return Promise.all(results);
}

/** Lets so many run at the same time; others wait in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<R>(work: () => Promise<R>): Promise<R> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
