import { type MarkdownTable, rowsIn } from '../../generate/markdown.ts';
import { textAt } from '../../generate/places.ts';
import { ASSUMED } from './assumptions.ts';
import { costOf, type StageSetup, sumOf, type Taken } from './lines.ts';
import { MIXES } from './mixes.ts';

/** CPU time of a function's first request, in ms. */
export interface ColdStart {
  readonly importMs: number;
  readonly requestMs: number;
}

/** The figure of the function `clients` in `docs/performance.md`. @throws Error where the page has none */
export function coldStartIn(performance: string): ColdStart {
  const cells = rowsIn(textAt(performance, 'bench:cold-start')).get('clients') ?? [];
  const [importMs = Number.NaN, requestMs = Number.NaN] = cells.slice(5, 7).map(Number);
  if (Number.isNaN(importMs + requestMs)) throw new Error('docs/performance.md has no cold start of clients');
  return { importMs, requestMs };
}

const MEMORIES = [512, 1_024, 1_769];

/** The share of a CPU with this memory. It applies while a request is served, not while the function is loaded. */
const cpuOf = (memory: number): number => Math.min(1, memory / ASSUMED.memoryOfOneCpu);

/** The time of a new container's first response, and the cost of a million requests, by the memory of functions. */
export const memoryTable = (
  taken: ReadonlyMap<string, Taken>,
  way: StageSetup,
  { importMs, requestMs }: ColdStart,
): MarkdownTable => ({
  head: ['`memory`', 'first request of a container', ...MIXES.map(({ name }) => name)],
  rows: MEMORIES.map((memory) => [
    memory.toLocaleString('en'),
    `${Math.round(importMs + requestMs / cpuOf(memory))} ms`,
    ...MIXES.map((mix) => `$${sumOf(costOf(mix, taken, { ...way, memory })).toFixed(2)}`),
  ]),
});
