import type { Contention } from './contention.ts';
import type { WorkCost } from './meter.ts';
import type { PageReading } from './reads.ts';
import type { Creating } from './writes.ts';

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const milliseconds = (value: number): string => number(value, value < 100 ? 1 : 0);

/** A Markdown table whose columns stand under each other; the first is text, the others are figures. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const cell = ({ readUnits, roundTrips, milliseconds: time }: WorkCost): string =>
  `${number(readUnits, 1)}/${number(roundTrips)}/${milliseconds(time)}`;

/** The table of one list: a row for each way, with the first page and the last one. */
export function readTable(ofList: readonly PageReading[]): string {
  const pages = [1, Math.max(...ofList.map(({ page }) => page))];
  const rows = Array.from(
    Map.groupBy(ofList, ({ way }) => way),
    ([way, ofWay]) => [
      way,
      ...pages.flatMap((wanted) => ofWay.filter(({ page }) => page === wanted).map(({ cost }) => cell(cost))),
    ],
  );
  const titles = pages.map((page) => `page ${number(page)}`);
  return `**${ofList[0]?.list}**: read units/round trips/milliseconds\n\n${markdown(['', ...titles], rows)}`;
}

export function tableOfCreates(creatings: readonly Creating[]): string {
  const rows = Array.from(
    Map.groupBy(creatings, ({ way }) => way),
    ([way, ofWay]) => [
      way,
      number(ofWay[0]?.roundTrips ?? 0),
      number(ofWay[0]?.writeUnits ?? 0, 1),
      ...ofWay.map(({ perSecond, sends }) => `${number(perSecond)}/${sends === undefined ? '–' : number(sends, 2)}`),
    ],
  );
  const parallel = [...new Set(creatings.map((creating) => creating.parallel))];
  const head = ['', 'round trips', 'write units', ...parallel.map((concurrency) => `${concurrency} at once`)];
  return `**creates**: per second/transactions sent for each that succeeded\n\n${markdown(head, rows)}`;
}

export const contentionTable = (contentions: readonly Contention[]): string =>
  `**many writers of one tenant at once**\n\n${markdown(
    ['', 'transactions sent for each that succeeds'],
    contentions.map(({ what, sends }) => [what, number(sends, 2)]),
  )}`;
