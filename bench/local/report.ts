import { markdown } from '../../generate/markdown.ts';
import type { EngineName } from '../../local/dynamodb/index.ts';
import { COLOURS, plotOfBars } from '../bars.ts';
import { type Bound, median, type Spread, spreadOf, spreadText } from '../statistics.ts';
import { LOCAL_OPERATIONS, type LocalOperation } from './requests.ts';

export type LocalContender = 'Custodia' | 'fastify + ElectroDB';

/** One turn. */
export interface Load {
  readonly name: LocalContender;
  readonly operation: LocalOperation;
  readonly perSecond: number;
  /** CPU time for a request, in milliseconds, where it is known. */
  readonly apiCpu: number | undefined;
  readonly databaseCpu: number | undefined;
}

/** Requests a second, relative to the peer's (`docs/decisions/0120-performance.md`). */
const AT_LEAST: Readonly<Record<EngineName, Readonly<Record<LocalOperation, number>>>> = {
  java: { get: 0.65, list: 0.5, create: 0.12 },
  dynoxide: { get: 0.5, list: 0.5, create: 0.2 },
};

const of = (loads: readonly Load[], name: LocalContender, operation: LocalOperation): readonly Load[] =>
  loads.filter((load) => load.name === name && load.operation === operation);

/** Ours relative to the peer's in the same round. */
function ratioOf(loads: readonly Load[], operation: LocalOperation): Spread {
  const peers = of(loads, 'fastify + ElectroDB', operation);
  return spreadOf(
    of(loads, 'Custodia', operation).map(({ perSecond }, round) => perSecond / (peers[round]?.perSecond ?? Number.NaN)),
  );
}

export const localBounds = (loads: readonly Load[], engine: EngineName): Bound[] =>
  LOCAL_OPERATIONS.map((operation) => ({
    claim: `${operation}, requests a second against fastify + ElectroDB`,
    measured: ratioOf(loads, operation),
    atLeast: AT_LEAST[engine][operation],
  }));

export function localTable(loads: readonly Load[], engine: EngineName): string {
  const cell = (name: LocalContender, operation: LocalOperation): string => {
    const own = of(loads, name, operation);
    const cpu = (['apiCpu', 'databaseCpu'] as const).map((part) => {
      const known = own.map((load) => load[part]).filter((value) => value !== undefined);
      return known.length === 0 ? '?' : median(known).toFixed(1);
    });
    return `${median(own.map(({ perSecond }) => perSecond)).toFixed(0)} / ${cpu.join(' / ')}`;
  };
  return markdown({
    head: ['operation', 'Custodia', 'fastify + ElectroDB', 'ratio of requests a second', 'at least'],
    rows: LOCAL_OPERATIONS.map((operation) => [
      operation,
      cell('Custodia', operation),
      cell('fastify + ElectroDB', operation),
      spreadText(ratioOf(loads, operation)),
      String(AT_LEAST[engine][operation]),
    ]),
  });
}

export const plotOfLocal = (loads: readonly Load[], engine: string): string =>
  plotOfBars({
    title: 'Requests a second on one machine',
    subtitle: `npm start and a peer on the same embedded DynamoDB (${engine}), ten connections; longer is faster`,
    series: [
      { label: 'Custodia', colour: COLOURS[0] },
      { label: 'fastify + ElectroDB', colour: COLOURS[2] },
    ],
    groups: LOCAL_OPERATIONS.map((operation) => ({
      label: operation,
      values: (['Custodia', 'fastify + ElectroDB'] as const).map((name) =>
        median(of(loads, name, operation).map(({ perSecond }) => perSecond)),
      ),
    })),
    lines: [],
    digits: 0,
  });
