import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Counter, DECISIONS, DURATION, logger, STATUS_CLASSES } from '#telemetry';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { GROUPS } from '../../operator/logs.ts';
import { type Annotations, accessLine, Invocation, within } from '../../shared/telemetry/invocation.ts';
import { BY_DOMAIN, COUNTERS, WORK_ENDS } from '../../shared/telemetry/metrics.ts';
import { type Line, written } from '../support/lines.ts';
import { PARTS, resourcesOf, STACKS, STAGE, synthesize } from './synthesize.ts';

/** `docs/operations.md` is correct about logs and metrics. `alarms.stack.test.ts` tests its table of alarms. */

/** Functions that work in the background, and write a line. */
const IN_BACKGROUND = ['deliveries', 'delivery-schedule', 'held-alerts'];

const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const section = (title: string): string => page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';

/** The rows of the table in a section, each cell's text. */
const rowsOf = (title: string): string[][] =>
  Array.from(section(title).matchAll(/^\| (`.*) \|$/gm), ([, row = '']) => row.split(/ ?\| /));

const ALL: Required<Annotations> = {
  request_id: 'r-1',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  method: 'GET',
  route: '/things',
  operation: 'listThings',
  tenant: 'PLATFORM',
  integration_id: 'i-1',
  user_id: 'u-1',
  problem: 'not-found',
  contended: true,
  line: 7,
  code_cache: 'missed',
  reason: 'expired',
};

/** A line of a request with everything that can be in one, and one of an error. */
async function lines(): Promise<readonly [request: Line, error: Line]> {
  const invocation = new Invocation(ALL);
  for (const counter of Object.keys(COUNTERS)) invocation.count(counter as Counter);
  invocation.units = 4;
  const request = accessLine(
    { invocation, domain: 'clients', outcome: '4xx', status: 404, at: 0, duration: 1 },
    'Custodia/custodia-prod',
  );
  const cause = Object.assign(new Error('refused'), { code: 'E', status: 400 });
  const error = Object.assign(new Error('it failed', { cause }), { code: 'E', status: 500 });
  const told = await written(async () => within(invocation, () => logger.error('The service failed', { error })));
  return [request, told.lines[0] ?? {}];
}

describe('the fields of lines', () => {
  it('are all in the table, and no others', async () => {
    const [request, error] = await lines();
    const inTable = rowsOf('Logs').flatMap(([names = '']) =>
      Array.from(names.matchAll(/`(\w+)`/g), ([, name = '']) => name),
    );
    const counters = Object.keys(COUNTERS);
    const inLines = [...Object.keys(request), ...Object.keys(error)].filter((name) => !counters.includes(name));
    // Lambda sets `xray_trace_id`.
    const told = new Set([...inLines, 'xray_trace_id', 'ColdStarts', 'TableCalls']);
    expect(inTable.toSorted()).toEqual([...told].toSorted());
    const [, ofErrors = ''] = rowsOf('Logs').find(([names]) => names === '`error`') ?? [];
    expect(Array.from(ofErrors.matchAll(/`(\w+)`/g), ([, name = '']) => name)).toEqual(
      Object.keys(error.error as object),
    );
  });
});

describe('the queries', () => {
  it('find the log groups by the prefixes of their names', () => {
    // CloudFormation names a group by its stack and its logical id.
    const templates = synthesize();
    const groups = PARTS.flatMap((part, index) =>
      resourcesOf(templates[part], 'AWS::Logs::LogGroup').map(([id]) => `${STACKS[index]}-${id}`),
    );
    const named = (begin: string) => groups.filter((name) => name.startsWith(`custodia-${STAGE}-${begin}`));
    expect(named(GROUPS.functions)).toHaveLength(functionNames(contracts).length);
    expect(named(GROUPS.gateway)).toHaveLength(1);
  });
});

describe('the metrics', () => {
  const rows = rowsOf('Metrics').map(([name = '', meaning = '']) => ({ name: name.replaceAll('`', ''), meaning }));
  const byDomain =
    contracts.length * STATUS_CLASSES.length + DECISIONS.length + IN_BACKGROUND.length * WORK_ENDS.length;

  it('are those that functions publish, and those that are counted in logs', () => {
    const filters = resourcesOf(synthesize(), 'AWS::Logs::MetricFilter').map(
      ([, { Properties }]) => (Properties.MetricTransformations as { MetricName: string }[])[0]?.MetricName,
    );
    expect(rows.map(({ name }) => name)).toEqual([
      `${DURATION} by ${BY_DOMAIN.join(', ')}`,
      ...Object.keys(COUNTERS),
      // Functions count `RequestsFailed` too.
      ...[...new Set(filters)].filter((name) => !Object.hasOwn(COUNTERS, String(name))).toSorted(),
    ]);
    for (const { name, meaning } of rows.slice(1, 1 + Object.keys(COUNTERS).length))
      expect(meaning).toBe(COUNTERS[name as Counter]);
  });

  it('are as many, and cost as much, as the page says', () => {
    const metrics = byDomain + rows.length - 1;
    expect(section('Metrics').replaceAll('\n', ' ')).toContain(
      `A stage has at most ${metrics} of them, for $${(metrics * 0.3).toFixed(2)} a month.`,
    );
  });
});
