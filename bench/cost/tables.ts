import { MOST_ENTRIES } from '../../functions/logs/contract.ts';
import { type MarkdownTable, rowsIn } from '../../generate/markdown.ts';
import { ASSUMED } from './assumptions.ts';
import { type FixedCost, monthly } from './fixed.ts';
import { costOf, LINES, type LogLines, largestOf, type StageSetup, sumOf, type Taken } from './lines.ts';
import { MIXES, type Mix } from './mixes.ts';
import { PRICES } from './prices.ts';
import type { Profile, Profiles } from './profiles.ts';

/** The tables of `docs/cost.md`. */

const MILLION = 1_000_000;
const GB = 1_000_000_000;

const money = (dollars: number): string => `$${dollars.toFixed(2)}`;
const whole = (number: number): string => Math.round(number).toLocaleString('en');

/** The mixes. */
export const mixList = (): string => MIXES.map(({ name, about }) => `- **${name}**: ${about}`).join('\n');

/** The cost of a million requests, line by line. */
export function lineTable(taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable {
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
export function idleTable({ standard, small }: Profiles): MarkdownTable {
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
export function costPerTenantTable(
  mix: Mix,
  taken: ReadonlyMap<string, Taken>,
  { standard, small }: Profiles,
): MarkdownTable {
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

/** The cost of encrypting the table with the stage's own key: DynamoDB calls KMS for each of its callers. */
export const keyTable = (): MarkdownTable => ({
  head: ['tenants', 'calls of KMS a month, at most', 'a month, with the key'],
  rows: TENANTS.map((tenants) => {
    const calls = tenants * ASSUMED.callersPerTenant * ASSUMED.keyCallsPerCaller;
    return [whole(tenants), whole(calls), money(PRICES.key.dollars + (calls * PRICES.keyRequests.dollars) / MILLION)];
  }),
});

const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

interface Remedy {
  readonly what: string;
  readonly way: Partial<StageSetup>;
}

const withoutLines = (logs: LogLines, names: readonly (keyof LogLines)[]): LogLines => ({
  ...logs,
  ...Object.fromEntries(names.map((name) => [name, 0])),
});

/** A new table on demand: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html */
const NEW_TABLE = { reads: 12_000, writes: 4_000 } as const;

/** What a stage pays once for a table that takes this many times as much as a new one. */
export const warmThroughputTable = (): MarkdownTable => ({
  head: ['warm throughput', 'more reads and writes a second', 'once'],
  rows: [2, 5, 10].map((times) => {
    const { reads, writes } = NEW_TABLE;
    const [moreReads, moreWrites] = [reads * (times - 1), writes * (times - 1)];
    const dollars = (moreReads * PRICES.warmReads.dollars + moreWrites * PRICES.warmWrites.dollars) / 1_000;
    const more = [moreReads, moreWrites].map((units) => units.toLocaleString('en')).join(' and ');
    return [`${reads * times}:${writes * times}`, more, money(dollars)];
  }),
});

/** The cost of a million requests with other settings of a stage. */
export function remedyTable(taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable {
  const remedies: readonly Remedy[] = [
    { what: 'as above', way: {} },
    way.isCompressed
      ? { what: 'responses not compressed', way: { isCompressed: false } }
      : { what: 'answers compressed', way: { isCompressed: true } },
    { what: 'a third of the reads returned with 304', way: { unchanged: 1 / 3 } },
    { what: '`authorizerCacheSeconds` 0', way: { requestsPerAuthorizer: 1 } },
    { what: 'no firewall', way: { hasFirewall: false } },
    { what: 'no lines of Lambda’s own', way: { logs: withoutLines(way.logs, ['lambda']) } },
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
export const logEntryTable = (taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable => ({
  head: ['', 'table', 'the other lines', 'a million entries'],
  rows: [
    ['an entry a request', ...recordCells('POST /logs/ingest', 1, taken, way)],
    [`${MOST_ENTRIES} entries a request`, ...recordCells(LOG_BATCH, MOST_ENTRIES, taken, way)],
  ],
});

/** What the words of tickets cost, by which they are found. */
export const wordTable = (taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable => ({
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

/** The measured usage of one request of each operation in the mixes, of a batch of log entries, and of tickets with words and without. */
export const takenTable = (taken: ReadonlyMap<string, Taken>): MarkdownTable => ({
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

export const priceTable = (): MarkdownTable => ({
  head: ['dollars', 'for'],
  rows: Object.values(PRICES).map(({ dollars, what }) => [String(dollars), what]),
});
