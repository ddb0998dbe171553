import { join } from 'node:path';
import { markdown } from '../../generate/markdown.ts';
import { stepShares } from '../profile.ts';
import { inTurns, median } from '../statistics.ts';
import { CONTENDERS, type ContenderName, type OperationName } from './names.ts';
import { type Contender, startContenders } from './processes.ts';

/** What the CPU time of a request is spent on: of ours, and of the peer that is fastest where ours is not. */

/** The first that matches the source of a function or of its nearest caller. */
const STEPS: readonly (readonly [step: string, source: RegExp])[] = [
  ['garbage collector', /^\(garbage collector\)/],
  ['the benchmark', /^bench\/(?!requests\/peers)|@smithy\/node-http-handler/],
  ['calls of the table: write, sign, retry, read', /^shared\/aws\/|@aws-sdk\/|@smithy\//],
  [
    'body, path and query: parse, validate',
    /\/zod\/|http-json-body-parser|@middy\/util|^shared\/(json|contract)\/|\/middleware\/(json-body|validated)|^shared\/http\/request\/(validate|json-text|read-only)/,
  ],
  ['numbers, sets and totals of lists', /^shared\/lists\/(?!transaction)/],
  ['transaction: conditions, versions, retries, cancellation', /^shared\/(lists\/transaction|table\/session)\//],
  ['records: fields, sizes, filters, actions', /^shared\/table\/|^functions\//],
  [
    'caller: permissions, budgets, suspension',
    /^shared\/(identity|tenancy|auth)\/|^shared\/http\/(budget|suspension|privileged)|\/middleware\/(authenticated|authorized|tenant-scoped|not-suspended|request-budget|escalations)/,
  ],
  ['log line and metrics', /^shared\/telemetry\/|\/middleware\/request-log/],
  [
    'response: fields, entity tag, links, headers',
    /^shared\/http\/(response|pages|respond)|\/middleware\/(response-headers|head|cross-origin)/,
  ],
  ['middlewares, routing, unit of work', /@middy\/core|^shared\/(http|folded|clock|causes)/],
  ['handler and store of the peer', /^bench\/requests\/peers/],
];
const OTHER = 'Node: promises, event loop';

const stepOf = (source: string): string | undefined => STEPS.find(([, pattern]) => pattern.test(source))?.[0];

const COMPARED = ['ours', 'middy'] as const satisfies readonly ContenderName[];
const WARM_UP = 3_000;
const PROFILED = 3_000;
/** Turns of each whose CPU time is measured without a profiler, and their requests. */
const TURNS = 20;
const REQUESTS = 50;

/** The CPU time of a request by step, in microseconds. */
type Profile = ReadonlyMap<string, number>;

export interface OperationProfiles {
  readonly operation: OperationName;
  readonly profiles: ReadonlyMap<ContenderName, Profile>;
}

/**
 * Profiles operations: the shares are of a profile, the time that they are parts of is CPU time without a profiler.
 * @param directory where profiles are kept for a viewer
 */
export async function profileSteps(
  engine: string,
  operations: readonly OperationName[],
  directory: string,
  report: (text: string) => void,
): Promise<readonly OperationProfiles[]> {
  const contenders = await startContenders(engine, 0, COMPARED);
  try {
    const profiled: OperationProfiles[] = [];
    for (const operation of operations) {
      report(operation);
      for (const contender of contenders) await contender.play({ operation, requests: WARM_UP });
      const costs = await costsOf(contenders, operation);
      const profiles = new Map<ContenderName, Profile>();
      for (const contender of contenders) {
        const profile = profileFile(directory, operation, contender.name);
        await contender.play({ operation, requests: PROFILED, profile });
        const cost = median(costs.get(contender.name) ?? []);
        const shares = await stepShares(profile, stepOf);
        profiles.set(contender.name, new Map(Array.from(shares, ([step, share]) => [step || OTHER, share * cost])));
      }
      profiled.push({ operation, profiles });
    }
    return profiled;
  } finally {
    for (const contender of contenders) contender.stop();
  }
}

export const PROFILED_REQUESTS = PROFILED;
export const profileFile = (directory: string, operation: OperationName, name: ContenderName): string =>
  join(directory, `${operation.replaceAll(' ', '-')}-${name}.cpuprofile`);

/** CPU times in microseconds, in turns. */
async function costsOf(contenders: readonly Contender[], operation: OperationName) {
  const costs = new Map<ContenderName, number[]>(contenders.map(({ name }) => [name, []]));
  for (const order of inTurns(contenders, TURNS)) {
    for (const contender of order)
      costs.get(contender.name)?.push(await contender.play({ operation, requests: REQUESTS }));
  }
  return costs;
}

/** Microseconds of CPU time by step: ours / the peer's. */
export function stepTable(profiled: readonly OperationProfiles[]): string {
  const cell = (of: (profile: Profile) => number, { profiles }: OperationProfiles): string =>
    COMPARED.map((name) => of(profiles.get(name) ?? new Map()).toFixed(0)).join(' / ');
  const row = (title: string, of: (profile: Profile) => number) => [title, ...profiled.map((each) => cell(of, each))];
  const sum = (profile: Profile) => profile.values().reduce((total, time) => total + time, 0);
  return markdown({
    head: [
      `µs, ${COMPARED.map((name) => CONTENDERS[name]).join(' / ')}`,
      ...profiled.map(({ operation }) => operation),
    ],
    rows: [
      ...[...STEPS.map(([step]) => step), OTHER].map((step) => row(step, (profile) => profile.get(step) ?? 0)),
      row('together', sum),
    ],
  });
}
