import { markdown } from '../../generate/markdown.ts';
import { COLOURS, plotOfBars } from '../bars.ts';
import { type Bound, type Spread, spreadText } from '../statistics.ts';
import type { OperationCosts } from './measure.ts';
import { CONTENDERS, type ContenderName, type OperationName } from './names.ts';

/** At least as fast as the raw client: Custodia's own work must not cost more than it saves of the client's work. */
const AT_LEAST = 1;
const BOUND: readonly OperationName[] = ['get', 'list', 'create', 'patch'];

/** Against middy + zod, which does less for a write (`docs/performance.md`). */
const AGAINST_MIDDY: Partial<Record<OperationName, number>> = {
  get: 1,
  list: 1,
  'filtered list': 1,
  patch: 0.91,
  create: 0.6,
  'log ingest': 0.77,
};

export const requestBounds = (measured: OperationCosts): Bound[] =>
  measured.flatMap(({ operation, costs, ratios }) => {
    const bound = (name: keyof typeof ratios, atLeast: number | undefined): Bound[] => {
      const ours = costs.has(name) ? ratios[name].get('ours') : undefined;
      const claim = `${operation}, against ${CONTENDERS[name]}`;
      return ours === undefined || atLeast === undefined ? [] : [{ claim, measured: ours, atLeast }];
    };
    return [
      ...bound('raw', BOUND.includes(operation) ? AT_LEAST : undefined),
      ...bound('middy', AGAINST_MIDDY[operation]),
    ];
  });

const namesIn = (measured: OperationCosts): readonly ContenderName[] => [...(measured[0]?.ratios.raw.keys() ?? [])];

/**
 * The CPU time of the raw client that makes our calls, divided by those of the contenders, each with its own in
 * microseconds; before them the calls of the table, and the CPU times of both raw clients.
 */
export function requestTable(measured: OperationCosts): string {
  const names = namesIn(measured);
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

export function plotOfRequests(measured: OperationCosts): string {
  const names = namesIn(measured);
  return plotOfBars({
    title: 'Requests for the CPU time of one by the document client alone',
    subtitle:
      'in process, the table’s answers canned; the document client makes the calls of Custodia; longer is faster',
    series: names.map((name, index) => ({ label: CONTENDERS[name], colour: COLOURS[index] ?? '#000000' })),
    groups: measured.map(({ operation, ratios }) => ({
      label: operation,
      values: names.map((name) => ratios.raw.get(name)?.median),
    })),
    lines: [{ at: 1, label: 'DocumentClient' }],
    digits: 2,
  });
}
