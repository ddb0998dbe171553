import { join } from 'node:path';
import { markdown } from '../../generate/markdown.ts';
import type { EngineName } from '../../local/dynamodb/engine.ts';
import type { Bound } from '../bounds.ts';
import { type Bench, runBench, writeFigures } from '../harness.ts';
import { type Spread, spreadText } from '../statistics.ts';
import { measure, type OperationCost } from './measure.ts';
import { CONTENDERS, type ContenderName, OPERATION_NAMES, type OperationName } from './names.ts';
import { startContenders } from './processes.ts';

interface RequestsOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly operation?: readonly OperationName[];
  /** Directory for CPU profiles, instead of measuring. */
  readonly profile?: string;
  readonly engine?: EngineName;
}

/** Measures the CPU time of requests. @returns whether every bound holds */
export const benchRequests = ({ operation = OPERATION_NAMES, ...options }: RequestsOptions): Promise<boolean> =>
  runBench(options.engine, async (bench) => {
    const { small, writeDocs, profile } = options;
    if (profile !== undefined) return profileOperations(bench, operation, profile);
    const size = small ? 'small' : 'usual';
    const measured = await measure(bench.endpoint, { size, operations: operation }, bench.report);
    const table = requestTable(measured);
    bench.print(`CPU time of the document client alone ÷ CPU time; median (quartiles)\n\n${table}\n`);
    if (writeDocs) await writeFigures('performance.md', 'bench:requests', table);
    return requestBounds(measured);
  });

/** Requests before a profile, and in it. */
const PROFILED = { warmUp: 3_000, requests: 3_000 } as const;

/** Writes CPU profiles of ours and of the peer. @returns their number, as a bound */
async function profileOperations(
  { endpoint, report, print }: Bench,
  operations: readonly OperationName[],
  directory: string,
): Promise<readonly Bound[]> {
  const contenders = await startContenders(endpoint, 0, ['ours', 'middy']);
  try {
    for (const operation of operations) {
      for (const contender of contenders) {
        report(`${operation}: ${contender.name}`);
        const profile = join(directory, `${operation.replaceAll(' ', '-')}-${contender.name}.cpuprofile`);
        await contender.play({ operation, requests: PROFILED.warmUp });
        await contender.play({ operation, requests: PROFILED.requests, profile });
        print(`${operation}, ${CONTENDERS[contender.name]}: ${profile}`);
      }
    }
  } finally {
    for (const contender of contenders) contender.stop();
  }
  return [{ claim: 'operations profiled', measured: operations.length, atLeast: 1 }];
}

/**
 * At least as fast as the raw client that makes our calls: our own work costs no more than it saves of the client's.
 */
const AT_LEAST: Partial<Record<OperationName, number>> = { get: 1, list: 1, create: 1, patch: 1 };

/** Against middy + zod, which does less for a write (`docs/performance.md`). */
const AGAINST_MIDDY: Partial<Record<OperationName, number>> = {
  get: 1,
  list: 1,
  'filtered list': 1,
  patch: 0.91,
  create: 0.6,
  'log ingest': 0.77,
};

const requestBounds = (measured: readonly OperationCost[]): Bound[] =>
  measured.flatMap(({ operation, costs, ratios }) => {
    const bound = (name: keyof typeof ratios, atLeast: number | undefined): Bound[] => {
      const ours = costs.has(name) ? ratios[name].get('ours') : undefined;
      const claim = `${operation}, against ${CONTENDERS[name]}`;
      return ours === undefined || atLeast === undefined ? [] : [{ claim, measured: ours, atLeast }];
    };
    return [...bound('raw', AT_LEAST[operation]), ...bound('middy', AGAINST_MIDDY[operation])];
  });

/**
 * The CPU time of the raw client that makes our calls, divided by those of the contenders, each with its own in
 * microseconds; before them the calls of the table, and the CPU times of both raw clients.
 */
function requestTable(measured: readonly OperationCost[]): string {
  const names: ContenderName[] = [...(measured[0]?.ratios.raw.keys() ?? [])];
  const time = (cost: Spread | undefined): string => cost?.median.toFixed(0) ?? '';
  return markdown({
    head: ['operation', 'calls', 'DocumentClient', ...names.map((name) => CONTENDERS[name])],
    rows: measured.map(({ operation, costs, calls, ratios: { raw } }) => [
      operation,
      `${calls.get('ours') ?? ''}, ${calls.get('middy') ?? ''}`,
      `${time(costs.get('raw'))}, ${time(costs.get('rawMiddy'))}`,
      ...names.map((name) => {
        const ratio = raw.get(name);
        return ratio === undefined ? '' : `${spreadText(ratio)}, ${time(costs.get(name))}`;
      }),
    ]),
  });
}
