import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder } from '../../functions/batch/in-order.ts';

interface Work {
  readonly number: number;
  readonly names: readonly string[];
  readonly isUndecided: boolean;
  /** How many turns of the event loop it takes. */
  readonly turns: number;
}

const works = fc
  .array(
    fc.record({
      names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 }),
      isUndecided: fc.boolean(),
      turns: fc.nat(5),
    }),
    { maxLength: 40 },
  )
  .map((all) => all.map((each, number): Work => ({ ...each, number })));

const LEFT_OUT = 'left out';

const haveCommonName = (a: Work, b: Work): boolean => a.names.some((name) => b.names.includes(name));

const resultOf = ({ number, isUndecided }: Work, isLeftOut: boolean): string =>
  isLeftOut ? LEFT_OUT : isUndecided ? 'undecided' : `done ${number}`;

type Log = readonly (readonly ['begin' | 'end', number])[];

/** Whether one was begun before an earlier one had ended, or was left out. */
function overtakes(log: Log, one: Work, earlier: Work): boolean {
  const at = (what: 'begin' | 'end', { number }: Work) => log.findIndex(([each, of]) => each === what && of === number);
  return at('begin', one) >= 0 && at('end', earlier) > at('begin', one);
}

/** What was begun and ended, in order, and the results. */
async function carriedOut(all: readonly Work[], atOnce: number) {
  const log: (readonly ['begin' | 'end', number])[] = [];
  let running = 0;
  let most = 0;
  const results = await inOrder(all, {
    atOnce,
    carryOut: async ({ number, turns, isUndecided }) => {
      most = Math.max(most, ++running);
      log.push(['begin', number]);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      log.push(['end', number]);
      running -= 1;
      return isUndecided ? 'undecided' : `done ${number}`;
    },
    isUndecided: (result) => !result.startsWith('done'),
    leaveOut: () => LEFT_OUT,
  });
  return { log, most, results };
}

describe('operations in order', () => {
  it('never run beside or before an earlier one with a name in common, and what follows an undecided one is left out', () =>
    fc.assert(
      fc.asyncProperty(works, fc.integer({ min: 1, max: 8 }), async (all, atOnce) => {
        const { log, most, results } = await carriedOut(all, atOnce);
        expect(most).toBeLessThanOrEqual(atOnce);
        const leftOut = new Set<Work>();
        for (const one of all) {
          const earlier = all.slice(0, one.number).filter((other) => haveCommonName(other, one));
          if (earlier.some((other) => other.isUndecided || leftOut.has(other))) leftOut.add(one);
          expect(results[one.number]).toBe(resultOf(one, leftOut.has(one)));
          expect(earlier.filter((other) => overtakes(log, one, other))).toEqual([]);
        }
      }),
    ));

  it('take all places, where they have no name in common', async () => {
    const all = Array.from({ length: 20 }, (_, number): Work => ({ number, names: [], isUndecided: false, turns: 3 }));
    expect((await carriedOut(all, 8)).most).toBe(8);
  });
});
