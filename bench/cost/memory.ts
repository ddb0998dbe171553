import { type MarkdownTable, rowsIn } from '../../generate/markdown.ts';
import { textAt } from '../../generate/places.ts';
import { type ColdStart, weightedMs } from '../cpu-share.ts';
import { costOf, type StageSetup, sumOf, type Taken } from './lines.ts';
import { MIXES } from './mixes.ts';

/** The figure of the function `clients` in `docs/performance.md`. @throws Error where the page has none */
export function coldStartIn(performance: string): ColdStart {
  const cells = rowsIn(textAt(performance, 'bench:cold-start')).get('clients') ?? [];
  const [importMs = Number.NaN, requestMs = Number.NaN] = cells.slice(5, 7).map(Number);
  if (Number.isNaN(importMs + requestMs)) throw new Error('docs/performance.md has no cold start of clients');
  return { importMs, requestMs };
}

const MEMORIES = [512, 1_024, 1_769];

/** The time of a new container's first response, and the cost of a million requests, by the memory of functions. */
export const memoryTable = (taken: ReadonlyMap<string, Taken>, way: StageSetup): MarkdownTable => ({
  head: ['`memory`', 'first request of a container', ...MIXES.map(({ name }) => name)],
  rows: MEMORIES.map((memory) => [
    memory.toLocaleString('en'),
    `${Math.round(weightedMs(way.coldStart, memory))} ms`,
    ...MIXES.map((mix) => `$${sumOf(costOf(mix, taken, { ...way, memory })).toFixed(2)}`),
  ]),
});
