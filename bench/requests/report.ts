import { markdown } from '../../generate/markdown.ts';
import { COLOURS, plotOfBars } from '../bars.ts';
import { type Bound, spreadText } from '../statistics.ts';
import type { OperationCosts } from './measure.ts';
import { CONTENDERS, type ContenderName, type OperationName } from './names.ts';

/** At least as fast as the raw client: Custodia's own work must not cost more than it saves of the client's work. */
const AT_LEAST = 1;
const BOUND: readonly OperationName[] = ['get', 'list', 'create', 'patch'];

export const requestBounds = (measured: OperationCosts): Bound[] =>
  measured.flatMap(({ operation, ratios }) => {
    const ours = ratios.get('ours');
    return ours === undefined || !BOUND.includes(operation)
      ? []
      : [{ claim: `${operation}, against the document client`, measured: ours, atLeast: AT_LEAST }];
  });

const namesIn = (measured: OperationCosts): readonly ContenderName[] => [...(measured[0]?.ratios.keys() ?? [])];

export function requestTable(measured: OperationCosts): string {
  const names = namesIn(measured);
  return markdown({
    head: ['operation', `${CONTENDERS.raw}, µs`, ...names.map((name) => CONTENDERS[name])],
    rows: measured.map(({ operation, raw, ratios }) => [
      operation,
      raw.median.toFixed(0),
      ...names.map((name) => {
        const ratio = ratios.get(name);
        return ratio === undefined ? '' : spreadText(ratio);
      }),
    ]),
  });
}

/** The calls of the table: the raw client makes the same calls as ours. */
export function callTable(measured: OperationCosts): string {
  const names = namesIn(measured);
  return markdown({
    head: ['calls of the table', ...names.map((name) => CONTENDERS[name])],
    rows: measured.map(({ operation, calls }) => [operation, ...names.map((name) => String(calls.get(name) ?? ''))]),
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
      values: names.map((name) => ratios.get(name)?.median),
    })),
    lines: [{ at: 1, label: CONTENDERS.raw }],
    digits: 2,
  });
}
