import { inTurns, type Spread, spreadOf } from '../statistics.ts';
import type { Calls } from './contender-process.ts';
import { CONTENDER_NAMES, type ContenderName, isRaw, type OperationName, type RawName } from './names.ts';
import { type Contender, startContenders } from './processes.ts';

/** The cost of an operation for each contender. */
export interface OperationCost {
  readonly operation: OperationName;
  /** CPU time for a request, in microseconds. */
  readonly costs: ReadonlyMap<ContenderName, Spread>;
  /** The CPU time of a raw client, or of the peer, divided by a contender's. */
  readonly ratios: Readonly<Record<RawName | 'middy', ReadonlyMap<ContenderName, Spread>>>;
  /** Calls of the table by each contender. */
  readonly calls: ReadonlyMap<ContenderName, number>;
}

interface Extent {
  readonly size: keyof typeof SIZES;
  readonly operations: readonly OperationName[];
}

/**
 * Generations of fresh processes, in each of which the same code is compiled somewhat differently; requests of each
 * operation before any counts; rounds, in which every contender plays every operation; turns of each in a round, and
 * their requests. Turns are short, so that other work of the machine affects all alike.
 */
const SIZES = {
  usual: { generations: 3, warmUp: 1_200, rounds: 8, turns: 5, requests: 20 },
  small: { generations: 1, warmUp: 300, rounds: 7, turns: 3, requests: 20 },
  /** Shows only whether the benchmark works. */
  least: { generations: 1, warmUp: 2, rounds: 1, turns: 1, requests: 1 },
} as const;

/** The mean cost of the turns of each round, by contender. */
type Costs = ReadonlyMap<ContenderName, number[]>;

/** Lets contenders take turns, each in its own process. */
export async function measure(
  engine: string,
  { size: extent, operations }: Extent,
  report: (text: string) => void,
): Promise<readonly OperationCost[]> {
  const { generations, warmUp, rounds, turns, requests } = SIZES[extent];
  const calls = new Map<ContenderName, Calls>();
  const costs = new Map(
    operations.map((each) => [each, new Map(CONTENDER_NAMES.map((name) => [name, [] as number[]]))]),
  );
  for (let generation = 0; generation < generations; generation++) {
    report(`starting processes, ${generation + 1} of ${generations}`);
    const contenders = await startContenders(engine, generation, CONTENDER_NAMES);
    for (const contender of contenders) calls.set(contender.name, contender.calls);
    try {
      report('warming up');
      // All operations twice: code that was compiled for one may be compiled again for another.
      for (const operation of [...operations, ...operations])
        for (const contender of contenders) await contender.play({ operation, requests: warmUp / 2 });
      for (let round = 1; round <= rounds; round++) {
        report(`round ${generation * rounds + round} of ${generations * rounds}`);
        await playRound(inTurns(contenders, turns), costs, requests);
      }
    } finally {
      for (const contender of contenders) contender.stop();
    }
  }
  return operations.map((operation) => ({
    operation,
    ...costOf(costs.get(operation) ?? new Map()),
    calls: new Map(Array.from(calls, ([name, of]) => [name, of[operation]])),
  }));
}

/** Has all play every operation, and adds the mean cost of each contender's turns. */
async function playRound(
  turns: readonly (readonly Contender[])[],
  costs: ReadonlyMap<OperationName, Costs>,
  requests: number,
): Promise<void> {
  for (const [operation, byName] of costs) {
    const sums = new Map<ContenderName, number>();
    for (const contender of turns.flat())
      sums.set(contender.name, (sums.get(contender.name) ?? 0) + (await contender.play({ operation, requests })));
    for (const [name, sum] of sums) byName.get(name)?.push(sum / turns.length);
  }
}

/** Ratios are taken within a round, in which the machine is about equally fast for all. */
function costOf(costs: Costs) {
  const ratiosTo = (name: RawName | 'middy') => {
    const whole = costs.get(name) ?? [];
    const ratio = (own: readonly number[]) => spreadOf(own.map((cost, round) => (whole[round] ?? Number.NaN) / cost));
    return new Map(Array.from(costs).flatMap(([each, own]) => (isRaw(each) ? [] : [[each, ratio(own)] as const])));
  };
  return {
    costs: new Map(Array.from(costs, ([name, own]) => [name, spreadOf(own)] as const)),
    ratios: { raw: ratiosTo('raw'), rawMiddy: ratiosTo('rawMiddy'), middy: ratiosTo('middy') },
  };
}
