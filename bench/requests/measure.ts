import { inTurns, type Spread, spreadOf } from '../statistics.ts';
import type { Calls } from './contender-process.ts';
import { CONTENDER_NAMES, type ContenderName, isRaw, type OperationName, type RawName } from './names.ts';
import { type Contender, startContenders } from './processes.ts';

/** The cost of an operation for each contender. */
export interface OperationCost {
  readonly operation: OperationName;
  /** CPU time for a request, in microseconds. */
  readonly costs: ReadonlyMap<ContenderName, Spread>;
  /** The CPU time of a raw client, or of the fastest peer, divided by a contender's. */
  readonly ratios: Readonly<Record<RawName | 'middy', ReadonlyMap<ContenderName, Spread>>>;
  /** Calls of the table by each contender. */
  readonly calls: ReadonlyMap<ContenderName, number>;
}

interface Extent {
  readonly size: keyof typeof SIZES;
  /** Contenders besides ours; the raw clients are always measured. Default: all. */
  readonly against?: readonly ContenderName[] | undefined;
  readonly operations: readonly OperationName[];
}

interface Size {
  /** Number of fresh processes: the same code is compiled somewhat differently in each. */
  readonly generations: number;
  /** Requests of each operation before any counts. */
  readonly warmUp: number;
  /** Number of rounds, in which every contender has a turn with every operation. */
  readonly rounds: number;
  /** Turns of each contender in a round: short ones, so that other work of the machine affects all alike. */
  readonly turns: number;
  /** Requests of a turn. */
  readonly requests: number;
}

const SIZES = {
  usual: { generations: 3, warmUp: 1_200, rounds: 8, turns: 5, requests: 20 },
  small: { generations: 1, warmUp: 300, rounds: 7, turns: 3, requests: 20 },
  /** Shows only whether the benchmark works. */
  least: { generations: 1, warmUp: 2, rounds: 1, turns: 1, requests: 1 },
} as const satisfies Readonly<Record<string, Size>>;

/** Lets contenders take turns, each in its own process. */
export async function measure(
  engine: string,
  { size: extent, against = CONTENDER_NAMES, operations }: Extent,
  report: (text: string) => void,
): Promise<readonly OperationCost[]> {
  const size = SIZES[extent];
  const names = CONTENDER_NAMES.filter((name) => name === 'ours' || isRaw(name) || against.includes(name));
  const calls = new Map<ContenderName, Calls>();
  const costs: Costs = new Map(
    operations.map((operation) => [operation, new Map(names.map((name) => [name, [] as number[]]))]),
  );
  for (let generation = 0; generation < size.generations; generation++) {
    report(`starting processes, ${generation + 1} of ${size.generations}`);
    const contenders = await startContenders(engine, generation, names);
    for (const contender of contenders) calls.set(contender.name, contender.calls);
    try {
      await warmUp(contenders, operations, size, report);
      for (let round = 1; round <= size.rounds; round++) {
        report(`round ${generation * size.rounds + round} of ${size.generations * size.rounds}`);
        await playRound(contenders, costs, size);
      }
    } finally {
      for (const contender of contenders) contender.stop();
    }
  }
  return operations.map((operation) => ({
    ...costOf(operation, costs.get(operation) ?? new Map()),
    calls: new Map(Array.from(calls, ([name, of]) => [name, of[operation]])),
  }));
}

/** The mean cost of the turns in each round, by operation and contender. */
type Costs = ReadonlyMap<OperationName, ReadonlyMap<ContenderName, number[]>>;

/** Lets all contenders play every operation, and adds the costs. */
async function playRound(contenders: readonly Contender[], costs: Costs, size: Size): Promise<void> {
  for (const [operation, byName] of costs) {
    for (const [name, cost] of await playTurns(contenders, operation, size)) byName.get(name)?.push(cost);
  }
}

/** The mean cost of each contender's turns. */
async function playTurns(contenders: readonly Contender[], operation: OperationName, { turns, requests }: Size) {
  const costs = new Map<ContenderName, number>();
  for (const order of inTurns(contenders, turns)) {
    for (const contender of order) {
      const cost = await contender.play({ operation, requests });
      costs.set(contender.name, (costs.get(contender.name) ?? 0) + cost / turns);
    }
  }
  return costs;
}

async function warmUp(
  contenders: readonly Contender[],
  operations: readonly OperationName[],
  { warmUp: requests }: Size,
  report: (text: string) => void,
): Promise<void> {
  for (const contender of contenders) {
    report(`warming up ${contender.name}`);
    // All operations run twice before any is measured, because code that was compiled for one operation may be compiled
    // again for another.
    for (const operation of [...operations, ...operations]) await contender.play({ operation, requests: requests / 2 });
  }
}

/** Ratios are taken within a round, in which the machine is about equally fast for all. */
function costOf(operation: OperationName, costs: ReadonlyMap<ContenderName, readonly number[]>) {
  const ratiosTo = (name: RawName | 'middy') => {
    const whole = costs.get(name) ?? [];
    const ratio = (own: readonly number[]) => spreadOf(own.map((cost, round) => (whole[round] ?? Number.NaN) / cost));
    return new Map(Array.from(costs).flatMap(([each, own]) => (isRaw(each) ? [] : [[each, ratio(own)] as const])));
  };
  return {
    operation,
    costs: new Map(Array.from(costs, ([name, own]) => [name, spreadOf(own)] as const)),
    ratios: { raw: ratiosTo('raw'), rawMiddy: ratiosTo('rawMiddy'), middy: ratiosTo('middy') },
  };
}
