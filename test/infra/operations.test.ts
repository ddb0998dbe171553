import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { ACCESS_LOG } from '../../infra/access-log.ts';
import { logged, logger } from '../../shared/logger.ts';
import { accessLine } from '../../shared/telemetry/access-line.ts';
import { type Annotations, Invocation, within } from '../../shared/telemetry/invocation.ts';
import {
  BY_DOMAIN,
  BY_ROUTE,
  COUNTERS,
  type Counter,
  DECISIONS,
  DURATION,
  STATUS_CLASSES,
} from '../../shared/telemetry/metrics.ts';
import { type Line, written } from '../support/lines.ts';
import { resourcesOf, synthesize } from './synthesize.ts';

/** `docs/operations.md` says of logs and metrics what is so. Its table of alarms has its tests in `alarms.test.ts`. */

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
  problem: 'not-found',
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
  const told = await written(() => {
    within(invocation, () => logger.error('The service failed', { error }));
    return logged();
  });
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
    // Set by Lambda where tracing is on.
    const told = new Set([...inLines, 'xray_trace_id', 'ColdStarts', 'TableCalls']);
    expect(inTable.toSorted()).toEqual([...told].toSorted());
    const [, ofErrors = ''] = rowsOf('Logs').find(([names]) => names === '`error`') ?? [];
    expect(Array.from(ofErrors.matchAll(/`(\w+)`/g), ([, name = '']) => name)).toEqual(
      Object.keys(error.error as object),
    );
  });
});

describe('the queries', () => {
  interface Query {
    readonly logs: string;
    readonly text: string;
  }
  const queries: readonly Query[] = Array.from(
    section('Logs').matchAll(/^```\n# custodia-prod-(\w+)\n(.*?)^```$/gms),
    ([, logs = '', text = '']) => ({ logs, text }),
  );

  /** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html: what the queries use of it. */
  const COMMANDS = ['fields', 'filter', 'stats', 'sort', 'limit'];
  const WORDS = new Set([...COMMANDS, 'by', 'as', 'and', 'desc', 'count', 'sum', 'pct', 'bin']);
  const BUILT_IN = ['@timestamp'];

  const commandsOf = ({ text }: Query): string[] => text.trim().split(/\n\| /);
  /** Names of fields in a query, without texts, durations and the names that it gives itself. */
  function fieldsIn({ text }: Query): string[] {
    const plain = text.replaceAll(/"[^"]*"/g, '').replaceAll(/\b\d+[smhd]?\b/g, '');
    const given = Array.from(plain.matchAll(/\bas (\w+)/g), ([, name]) => name);
    const words = Array.from(plain.matchAll(/@?[A-Za-z_][\w.]*/g), ([word]) => word);
    return words.filter((word) => !WORDS.has(word) && !given.includes(word));
  }

  async function known(logs: string): Promise<readonly string[]> {
    if (logs === 'ApiAccessLogs') return [...BUILT_IN, ...Object.keys(JSON.parse(ACCESS_LOG.toString()))];
    const [request, error] = await lines();
    const ofErrors = Object.keys(error.error as object).map((name) => `error.${name}`);
    return [...BUILT_IN, ...Object.keys(request), ...Object.keys(error), ...ofErrors];
  }

  it('are some, over both kinds of logs', () => {
    expect(queries.length).toBe(Array.from(section('Logs').matchAll(/^```$/gm)).length / 2);
    expect(new Set(queries.map(({ logs }) => logs))).toEqual(new Set(['Functions', 'ApiAccessLogs']));
  });

  it.each(queries)('name fields that the lines have: $text', async (query) => {
    expect(fieldsIn(query).length).toBeGreaterThan(1);
    const fields = await known(query.logs);
    expect(fieldsIn(query).filter((name) => !fields.includes(name))).toEqual([]);
    for (const command of commandsOf(query)) expect(COMMANDS).toContain(command.split(' ')[0]);
  });

  it('find the log groups by the beginnings of their names', () => {
    // CloudFormation names a group by its stack and its logical id.
    const groups = resourcesOf(synthesize(), 'AWS::Logs::LogGroup').map(([id]) => id);
    expect(groups.filter((id) => id.startsWith('Functions'))).toHaveLength(contracts.length + 1);
    expect(groups.filter((id) => id.startsWith('ApiAccessLogs'))).toHaveLength(1);
  });
});

describe('the metrics', () => {
  const rows = rowsOf('Metrics').map(([name = '', by = '', meaning = '', most = '']) => ({
    name: name.replaceAll('`', ''),
    by: by.replaceAll('`', ''),
    meaning,
    most: Number(most),
  }));
  const most = {
    byDomain: contracts.length * STATUS_CLASSES.length + DECISIONS.length,
    byRoute: contracts.flatMap(({ routes }) => Object.keys(routes)).length * STATUS_CLASSES.length,
  };

  it('are those that functions publish, and those that are counted in logs', () => {
    const filters = resourcesOf(synthesize(), 'AWS::Logs::MetricFilter').map(
      ([, { Properties }]) => (Properties.MetricTransformations as { MetricName: string }[])[0]?.MetricName,
    );
    expect(rows.map(({ name, by }) => [name, by])).toEqual([
      [DURATION, BY_DOMAIN.join(', ')],
      [DURATION, BY_ROUTE.join(', ')],
      ...Object.keys(COUNTERS).map((name) => [name, '']),
      ...[...new Set(filters)].toSorted().map((name) => [name, '']),
    ]);
    for (const { name, meaning } of rows.slice(2, 2 + Object.keys(COUNTERS).length))
      expect(meaning).toBe(COUNTERS[name as Counter]);
  });

  it('are as many, and cost as much, as the page says', () => {
    expect(rows.map((row) => row.most)).toEqual([most.byDomain, most.byRoute, ...rows.slice(2).map(() => 1)]);
    const standard = most.byDomain + rows.length - 2;
    const prices = [standard, standard + most.byRoute].map((metrics) => [metrics, (metrics * 0.3).toFixed(2)] as const);
    const [[metrics, price], [all, dearer]] = prices as [(typeof prices)[0], (typeof prices)[0]];
    expect(section('Metrics').replaceAll('\n', ' ')).toContain(
      `A stage has ${metrics} of them at most, for $${price} a month, and with those by route ${all}, for $${dearer}.`,
    );
  });
});
