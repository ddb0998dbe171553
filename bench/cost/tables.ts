import { MOST_ENTRIES } from '../../functions/logs/contract.ts';
import { type MarkdownTable, markdown, rowsIn } from '../../generate/markdown.ts';
import { textAt, withText } from '../../generate/places.ts';
import type { Usage } from '../../local/dynamodb/usage.ts';
import { type ColdStart, weightedMs } from '../cpu-share.ts';
import { ASSUMED } from './assumptions.ts';
import { deliveryTable, turnTable } from './deliveries.ts';
import { costOf, GB, LINES, largestOf, MILLION, type StageSetup, sumOf, type Taken } from './lines.ts';
import { MIXES, type Mix } from './mixes.ts';
import { PRICES } from './prices.ts';
import { type FixedCost, monthly, type Profile, type Profiles, sum } from './stage.ts';

/** The tables of `docs/cost.md`. */

interface Measured {
  readonly requests: readonly Taken[];
  readonly turn: Usage;
  /** The page `docs/performance.md`. */
  readonly performance: string;
}

/** The page `docs/cost.md` with its figures. */
export function withCosts(page: string, measured: Measured, profiles: Profiles): string {
  const taken = new Map(measured.requests.map((one) => [one.title, one]));
  const { way } = profiles.standard;
  const places: Readonly<Record<string, MarkdownTable | string>> = {
    mixes: mixList(),
    lines: lineTable(taken, way),
    remedies: remedyTable(taken, way),
    'log-entries': logEntryTable(taken, way),
    words: wordTable(taken, way),
    memory: memoryTable(taken, way),
    turn: turnTable(measured.turn),
    deliveries: deliveryTable(measured.turn, measured.performance, profiles.standard),
    idle: idleTable(profiles),
    tenants: costPerTenantTable(MIXES[0], taken, profiles),
    taken: takenTable(taken),
  };
  return Object.entries(places).reduce(
    (text, [place, made]) => withText(text, `cost:${place}`, typeof made === 'string' ? made : markdown(made)),
    page,
  );
}

const money = (dollars: number): string => `$${dollars.toFixed(2)}`;
const whole = (number: number): string => Math.round(number).toLocaleString('en');

/** The mixes. */
const mixList = (): string => MIXES.map(({ name, about }) => `- **${name}**: ${about}`).join('\n');

/** The cost of a million requests, line by line. */
function lineTable(taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable {
  const costs = MIXES.map((mix) => costOf(mix, taken, way));
  const rows = LINES.map((line) => [
    line,
    ...costs.map((cost) => (largestOf(cost) === line ? `**${money(cost[line])}**` : money(cost[line]))),
  ]);
  return {
    head: ['line', ...MIXES.map(({ name }) => name)],
    rows: [...rows, ['**sum**', ...costs.map((cost) => `**${money(sumOf(cost))}**`)]],
  };
}

/** Things too cheap for a price of one have a price per million. */
const priceOf = ({ each }: FixedCost): string => (each < 0.01 ? `${money(each * MILLION)} a million` : money(each));

/** The monthly cost of a stage of each profile, without and with callers. */
function idleTable({ standard, small }: Profiles): MarkdownTable {
  const cells = ({ count, each }: FixedCost): string[] => [whole(count), money(count * each)];
  const row = (one: FixedCost, other: FixedCost): string[] => [one.what, priceOf(one), ...cells(one), ...cells(other)];
  const sums = [standard, small].flatMap(({ idle }) => ['', `**${money(monthly(idle))}**`]);
  return {
    head: ['what', 'each', '`standard`', 'a month', '`small`', 'a month'],
    rows: [
      ...standard.idle.map((one, index) => row(one, small.idle[index] as FixedCost)),
      ['**sum**', '', ...sums],
      row({ ...standard.metrics, what: `while somebody calls: more ${standard.metrics.what}, at most` }, small.metrics),
    ],
  };
}

const TENANTS = [1, 10, 100, 1_000, 10_000];

/** The monthly cost by the number of tenants of the same size and mix. */
function costPerTenantTable(mix: Mix, taken: ReadonlyMap<string, Taken>, { standard, small }: Profiles): MarkdownTable {
  const stored =
    (ASSUMED.recordsPerTenant * ASSUMED.recordBytes * (PRICES.tableStorage.dollars + PRICES.recovery.dollars)) / GB;
  const partsOf = ({ way, idle, metrics }: Profile, tenants: number): number[] => {
    const requests = (sumOf(costOf(mix, taken, way)) * ASSUMED.requestsPerTenant) / MILLION;
    return [monthly(idle), monthly([metrics]), requests * tenants, stored * tenants];
  };
  return {
    head: [
      'tenants',
      'idle',
      'metrics of our own',
      'requests',
      'records',
      'a month',
      'each tenant',
      '`small`, a month',
    ],
    rows: TENANTS.map((tenants) => {
      const parts = partsOf(standard, tenants);
      const ofSmall = sum(partsOf(small, tenants));
      return [
        whole(tenants),
        ...parts.map(money),
        `**${money(sum(parts))}**`,
        money(sum(parts) / tenants),
        money(ofSmall),
      ];
    }),
  };
}

interface Remedy {
  readonly what: string;
  readonly way: Partial<StageSetup>;
}

/** The cost of a million requests with other settings of a stage. */
function remedyTable(taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable {
  const remedies: readonly Remedy[] = [
    { what: 'as above', way: {} },
    { what: 'responses not compressed', way: { isCompressed: false } },
    { what: 'a third of the reads returned with 304', way: { unchanged: 1 / 3 } },
    { what: '`authorizerCacheSeconds` 0', way: { requestsPerAuthorizer: 1 } },
    { what: 'no firewall', way: { hasFirewall: false } },
    { what: 'no lines of Lambda’s own', way: { logs: { ...way.logs, lambda: 0 } } },
  ];
  return {
    head: ['', ...MIXES.map(({ name }) => name)],
    rows: remedies.map(({ what, way: change }) => [
      what,
      ...MIXES.map((mix) => money(sumOf(costOf(mix, taken, { ...way, ...change })))),
    ]),
  };
}

const LOG_BATCH = `POST /logs/ingest, ${MOST_ENTRIES} entries`;

/** The cost of a million log entries of up to 1 KB, by how many of them a request has. */
const logEntryTable = (taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable => ({
  head: ['', 'table', 'the other lines', 'a million entries'],
  rows: [
    ['an entry a request', ...recordCells('POST /logs/ingest', 1, taken, way)],
    [`${MOST_ENTRIES} entries a request`, ...recordCells(LOG_BATCH, MOST_ENTRIES, taken, way)],
  ],
});

/** What the words of tickets cost, by which they are found. */
const wordTable = (taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable => ({
  head: ['', 'write units', 'table', 'the other lines', 'a million tickets'],
  rows: Object.entries(TICKETS).map(([what, title]) => [
    what,
    String(taken.get(title)?.writeUnits),
    ...recordCells(title, 1, taken, way),
  ]),
});

/** By what is said of them: titles of creations of tickets. */
const TICKETS = {
  'eight words of subject': 'POST /tickets',
  '`ticketWords` off': 'POST /tickets, without words',
};

/** What a million records cost that a request creates so many of at once: the table, the other lines, and both. */
function recordCells(title: string, count: number, taken: ReadonlyMap<string, Taken>, way: StageSetup): string[] {
  const cost = costOf({ name: title, about: title, shares: { [title]: 1 } }, taken, way);
  const ofTable = cost['table, writes'] + cost['table, reads'];
  return [ofTable, sumOf(cost) - ofTable, sumOf(cost)].map((each) => money(each / count));
}

/**
 * The measured usage of one request of each operation in the mixes, of a batch of log entries, and of tickets with
 * words and without.
 */
const takenTable = (taken: ReadonlyMap<string, Taken>): MarkdownTable => ({
  head: ['operation', ...MIXES.map(({ name }) => name), 'round trips', 'read units', 'write units', 'bytes', 'gzip'],
  rows: TITLES.map((title) => {
    const { roundTrips, readUnits, writeUnits, responseBytes, compressedBytes } = taken.get(title) as Taken;
    const shares = MIXES.map(({ shares }) =>
      shares[title] === undefined ? '' : `${Math.round(shares[title] * 100)} %`,
    );
    return [
      `\`${title}\``,
      ...shares,
      ...[roundTrips, readUnits, writeUnits, responseBytes, compressedBytes].map(String),
    ];
  }),
});

const TITLES = [
  ...new Set([...MIXES.flatMap(({ shares }) => Object.keys(shares)), LOG_BATCH, ...Object.values(TICKETS)]),
];

/** The figures of a mix and a way of setting a stage. */
export const takenIn = (text: string): readonly Taken[] =>
  Array.from(rowsIn(text).values(), ([title = '', ...cells]) => {
    const [roundTrips, readUnits, writeUnits, responseBytes, compressedBytes] = cells.slice(MIXES.length).map(Number);
    return {
      title: title.replaceAll('`', ''),
      roundTrips,
      readUnits,
      writeUnits,
      responseBytes,
      compressedBytes,
    } as Taken;
  }).filter(({ roundTrips }) => !Number.isNaN(roundTrips));

/** The figure of the function `clients` in `docs/performance.md`. @throws Error where the page has none */
export function coldStartIn(performance: string): ColdStart {
  const cells = rowsIn(textAt(performance, 'bench:cold-start')).get('clients') ?? [];
  const [importMs = Number.NaN, requestMs = Number.NaN] = cells.slice(5, 7).map(Number);
  if (Number.isNaN(importMs + requestMs)) throw new Error('docs/performance.md has no cold start of clients');
  return { importMs, requestMs };
}

const MEMORIES = [512, 1_024, 1_769];

/** The time of a new container's first response, and the cost of a million requests, by the memory of functions. */
const memoryTable = (taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable => ({
  head: ['`memory`', 'first request of a container', ...MIXES.map(({ name }) => name)],
  rows: MEMORIES.map((memory) => [
    memory.toLocaleString('en'),
    `${Math.round(weightedMs(way.coldStart, memory))} ms`,
    ...MIXES.map((mix) => `$${sumOf(costOf(mix, taken, { ...way, memory })).toFixed(2)}`),
  ]),
});
