/** Random choices that a seed reproduces. */
export interface Random {
  /** A whole number from 0 up to, not including, `end`. */
  readonly below: (end: number) => number;
  readonly oneOf: <T>(choices: readonly T[]) => T;
  readonly chance: (probability: number) => boolean;
}

/** Mulberry32. Each `stream` of a seed has its own choices, so that processes do not affect each other's. */
export function randomOf(seed: number, stream: string): Random {
  let state = seed >>> 0;
  for (const character of stream) state = Math.imul(state ^ character.charCodeAt(0), 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    oneOf: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    chance: (probability) => next() < probability,
  };
}
