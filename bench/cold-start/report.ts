import { markdown } from '../../generate/markdown.ts';
import { COLOURS, plotOfBars } from '../bars.ts';
import { type ColdStart, weightedMs } from '../cpu-share.ts';
import { type Bound, median, type Spread, spreadOf, spreadText } from '../statistics.ts';
import type { Launched } from './launcher.ts';
import { BARE, type Prepared, TRIMMED } from './stack.ts';

/** A function with all its starts. */
export interface Started extends Prepared {
  readonly launched: readonly Launched[];
}

/** A function that is compared with the bare SDK. */
export interface ComparedStart extends Started {
  /** CPU time until the first response, relative to the bare SDK's median, by the share of a CPU of each of {@link MEMORIES}. */
  readonly weighted: readonly Spread[];
}

/** In MB: what a stage gives a function unless it says otherwise, and half of it. */
const MEMORIES = [1_024, 512] as const;

/** The bound of a cold start, relative to the bare SDK's, at the first of {@link MEMORIES}; at the second it is a quarter more. */
const AT_MOST = 0.75;
/** The bounds of functions whose first request is no read (`docs/decisions/0120-performance.md`). */
const AT_MOST_OF: Readonly<Record<string, number>> = {
  auth: 0.85,
  logs: 0.9,
  batch: 1.3,
  webhooks: 1.3,
};

/** All functions with their ratios. @throws Error where the bare SDK was not started */
export function comparedWith(starts: readonly Started[]): ComparedStart[] {
  const bare = starts.find(({ name }) => name === BARE);
  if (bare === undefined) throw new Error('the bare SDK was not started');
  const weightedRatio = ({ launched }: Started, memory: number): Spread => {
    const whole = median(bare.launched.map((each) => weightedMs(partsOf(each), memory)));
    return spreadOf(launched.map((each) => weightedMs(partsOf(each), memory) / whole));
  };
  return starts.map((start) => ({ ...start, weighted: MEMORIES.map((memory) => weightedRatio(start, memory)) }));
}

const partsOf = ({ loaded, responded }: Launched): ColdStart => ({
  importMs: loaded.cpu,
  requestMs: responded.cpu - loaded.cpu,
});

const medianOf = (launched: readonly Launched[], of: (each: Launched) => number): number => median(launched.map(of));

const isOurs = ({ name }: Prepared): boolean => name !== BARE && name !== TRIMMED;

export const coldStartBounds = (starts: readonly ComparedStart[]): Bound[] =>
  starts.filter(isOurs).flatMap(({ name, weighted }) =>
    weighted.map((measured, index) => ({
      claim: `${name}, weighted CPU time at ${MEMORIES[index]} MB against the bare SDK`,
      measured,
      atMost: (AT_MOST_OF[name] ?? AT_MOST) * (index === 0 ? 1 : 1.25),
    })),
  );

/** Reads of one record are alike: the page has those of clients, and the plot all. */
export const isShown = ({ name, title }: Prepared): boolean => name === 'clients' || !/^GET .*\/\{id\}$/.test(title);

export const coldStartTable = (starts: readonly ComparedStart[]): string =>
  markdown({
    head: [
      'function',
      'first request',
      'calls of AWS',
      'KB at start',
      'modules',
      'import, ms CPU',
      'first request, ms CPU',
      ...MEMORIES.map((memory) => `at ${memory.toLocaleString('en')} MB ÷ bare SDK`),
    ],
    rows: starts.map(({ name, title, calls, size, launched, weighted }) => [
      name,
      title.replace(/^\w+ \/.*/, '`$&`'),
      String(calls),
      size === undefined ? '' : String(size.kilobytes),
      size === undefined ? '' : String(size.modules),
      medianOf(launched, ({ loaded }) => loaded.cpu).toFixed(0),
      medianOf(launched, ({ loaded, responded }) => responded.cpu - loaded.cpu).toFixed(0),
      ...weighted.map((spread) => spreadText(spread)),
    ]),
  });

export const plotOfColdStarts = (starts: readonly ComparedStart[]): string =>
  plotOfBars({
    title: 'Computing time of a cold start, by function',
    subtitle:
      'import at full CPU, first request at the share of each memory; the bare SDK reads one item; shorter is faster',
    series: MEMORIES.map((memory, index) => ({
      label: `${memory.toLocaleString('en')} MB ÷ bare SDK`,
      colour: COLOURS[index] ?? '',
    })),
    groups: starts
      .filter(({ name }) => name !== BARE)
      .map(({ name, weighted }) => ({ label: name, values: weighted.map(({ median: middle }) => middle) })),
    lines: [
      { at: 1, label: BARE },
      { at: AT_MOST, label: `reads ${AT_MOST}` },
    ],
    digits: 2,
  });
