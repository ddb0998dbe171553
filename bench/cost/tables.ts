import { rowsIn, type Table } from '../../generate/markdown.ts';
import { ASSUMED } from './assumptions.ts';
import { type FixedCost, monthly } from './fixed.ts';
import { costOf, LINES, type LogLines, largestOf, sumOf, type Taken, type Way } from './lines.ts';
import { MIXES, type Mix } from './mixes.ts';
import { PRICES } from './prices.ts';

/** The tables of `docs/cost.md`. */

const MILLION = 1_000_000;
const GB = 1_000_000_000;

const money = (dollars: number): string => `$${dollars.toFixed(2)}`;
const whole = (number: number): string => Math.round(number).toLocaleString('en');

/** What the mixes are. */
export const mixList = (): string => MIXES.map(({ name, about }) => `- **${name}**: ${about}`).join('\n');

/** A million requests, line by line. */
export function lineTable(taken: ReadonlyMap<string, Taken>, way: Way): Table {
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

/** What a stage costs a month before anybody calls it. */
export const fixedTable = (costs: readonly FixedCost[]): Table => ({
  head: ['what', 'count', 'each', 'a month'],
  rows: [
    ...costs.map(({ what, count, each }) => [what, String(count), money(each), money(count * each)]),
    ['**sum**', '', '', `**${money(monthly(costs))}**`],
  ],
});

const TENANTS = [1, 10, 100, 1_000, 10_000];

/** How a month grows with tenants of one size, whose requests are of one mix. */
export function tenantTable(mix: Mix, taken: ReadonlyMap<string, Taken>, way: Way, fixed: readonly FixedCost[]): Table {
  const requests = (sumOf(costOf(mix, taken, way)) * ASSUMED.requestsPerTenant) / MILLION;
  const stored =
    (ASSUMED.recordsPerTenant * ASSUMED.recordBytes * (PRICES.tableStorage.dollars + PRICES.recovery.dollars)) / GB;
  return {
    head: ['tenants', 'fixed', 'requests', 'records', 'a month', 'each tenant'],
    rows: TENANTS.map((tenants) => {
      const parts = [monthly(fixed), requests * tenants, stored * tenants];
      const sum = parts.reduce((total, part) => total + part, 0);
      return [whole(tenants), ...parts.map(money), `**${money(sum)}**`, money(sum / tenants)];
    }),
  };
}

interface Remedy {
  readonly what: string;
  readonly way: Partial<Way>;
}

const withoutLines = (logs: LogLines, names: readonly (keyof LogLines)[]): LogLines => ({
  ...logs,
  ...Object.fromEntries(names.map((name) => [name, 0])),
});

/** What a million requests cost where a stage is set otherwise. */
export function remedyTable(taken: ReadonlyMap<string, Taken>, way: Way): Table {
  const remedies: readonly Remedy[] = [
    { what: 'as above', way: {} },
    way.isCompressed
      ? { what: 'answers not compressed', way: { isCompressed: false } }
      : { what: 'answers compressed', way: { isCompressed: true } },
    { what: 'a third of the reads answered with 304', way: { unchanged: 1 / 3 } },
    { what: '`authorizerCacheSeconds` 0', way: { requestsPerAuthorizer: 1 } },
    { what: '`tracing` on', way: { isTraced: true } },
    { what: 'half the memory', way: { memory: way.memory / 2 } },
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

/** What one request of each operation of the mixes takes, as measured. */
export const takenTable = (taken: ReadonlyMap<string, Taken>): Table => ({
  head: ['operation', ...MIXES.map(({ name }) => name), 'rounds', 'read units', 'write units', 'bytes', 'gzip'],
  rows: [...new Set(MIXES.flatMap(({ shares }) => Object.keys(shares)))].map((title) => {
    const { rounds, readUnits, writeUnits, answerBytes, compressedBytes } = taken.get(title) as Taken;
    const shares = MIXES.map(({ shares }) =>
      shares[title] === undefined ? '' : `${Math.round(shares[title] * 100)} %`,
    );
    return [`\`${title}\``, ...shares, ...[rounds, readUnits, writeUnits, answerBytes, compressedBytes].map(String)];
  }),
});

/** What such a table says. */
export const takenIn = (text: string): readonly Taken[] =>
  Array.from(rowsIn(text).values(), ([title = '', ...cells]) => {
    const [rounds, readUnits, writeUnits, answerBytes, compressedBytes] = cells.slice(MIXES.length).map(Number);
    return { title: title.replaceAll('`', ''), rounds, readUnits, writeUnits, answerBytes, compressedBytes } as Taken;
  }).filter(({ rounds }) => !Number.isNaN(rounds));

export const priceTable = (): Table => ({
  head: ['dollars', 'for', 'source'],
  rows: Object.values(PRICES).map(({ dollars, what, source }) => [String(dollars), what, source]),
});
