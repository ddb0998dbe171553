import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Counter, logger } from '#telemetry';
import { ACCESS_LOG } from '../../infra/rest-api.ts';
import { byInvocation, byRequestId } from '../../operator/logs.ts';
import { USAGE_QUERY } from '../../operator/usage.ts';
import { accessLine, type EndedInvocation, Invocation, within } from '../../shared/telemetry/invocation.ts';
import { COUNTERS } from '../../shared/telemetry/metrics.ts';
import { type Line, written } from '../support/lines.ts';

/**
 * The queries of `docs/operations.md` and of the commands find what they should in lines as they are: those of functions as our code writes them,
 * the gateway's in its format, and Lambda's as AWS documents them for the JSON format.
 */

const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const section = page.split(/^## /m).find((each) => each.startsWith('Logs\n')) ?? '';

interface Query {
  readonly logs: string;
  readonly text: string;
}
const documented: readonly Query[] = Array.from(
  section.matchAll(/^```\n# custodia-prod-([\w-]+)\n(.*?)^```$/gms),
  ([, logs = '', text = '']) => ({ logs, text: text.trim() }),
);

const REQUEST = '5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90';
const INVOCATION = '6d68ca91-49c9-448d-89b8-7ca3e6dc66aa';
const ofCommands: readonly Query[] = [
  { logs: 'Functions', text: byRequestId(REQUEST) },
  { logs: 'api-ApiAccessLogs', text: byRequestId(REQUEST) },
  { logs: 'Functions', text: byInvocation([INVOCATION]) },
  { logs: 'Functions', text: USAGE_QUERY },
];

/** Lines that functions write: of requests that went well and did not, of the authorizer, and of an error. */
async function functionLines(): Promise<readonly Line[]> {
  const line = (change: Partial<EndedInvocation>, reason?: string): Line => {
    const invocation = new Invocation({
      request_id: REQUEST,
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      method: 'GET',
      route: '/api/v1/clients',
      operation: 'listClients',
      tenant: 'e23d6849-7a4c-41f4-b230-e421d07a9693',
      integration_id: 'i-1',
      problem: 'not-found',
      ...(reason === undefined ? {} : { reason }),
    });
    for (const counter of Object.keys(COUNTERS)) invocation.count(counter as Counter);
    invocation.units = 4;
    const ended: EndedInvocation = {
      invocation,
      domain: 'clients',
      outcome: '2xx',
      status: 200,
      at: 0,
      duration: 1,
      ...change,
    };
    return accessLine(ended, 'Custodia/custodia-prod');
  };
  const { lines } = await written(async () =>
    within(new Invocation({ request_id: REQUEST }), () => logger.error('It failed', { error: new Error('no') })),
  );
  return [
    line({}),
    line({ outcome: '4xx', status: 404 }),
    line({ domain: 'authorizer', outcome: 'refused' }, 'expired'),
    ...lines,
  ];
}

/** https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html#platform-report, as Lambda writes them into the log. */
const report = (record: object): Line => ({
  time: '2026-11-20T10:00:29.500Z',
  type: 'platform.report',
  record: { requestId: INVOCATION, ...record },
});
const METRICS = { durationMs: 693.92, billedDurationMs: 694, memorySizeMB: 512, maxMemoryUsedMB: 84 };
const LAMBDA: readonly Line[] = [
  { time: '2026-11-20T10:00:00Z', type: 'platform.start', record: { requestId: INVOCATION, version: '1' } },
  report({ status: 'success', metrics: METRICS }),
  report({ status: 'success', metrics: { ...METRICS, initDurationMs: 397.68 } }),
  report({ status: 'timeout', metrics: { ...METRICS, durationMs: 29_000 } }),
  report({ status: 'error', errorType: 'Runtime.OutOfMemory', metrics: { ...METRICS, maxMemoryUsedMB: 512 } }),
  // The runtime's, for an error that nobody caught: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
  {
    timestamp: '2026-11-20T10:00:29.500Z',
    level: 'ERROR',
    requestId: INVOCATION,
    message: { errorType: 'RangeError', errorMessage: 'too far', stackTrace: ['RangeError: too far'] },
  },
];

const gatewayLine = (): Line => ({ ...JSON.parse(ACCESS_LOG.toString()), request_id: REQUEST });

const linesOf = async (logs: string): Promise<readonly Line[]> =>
  logs === 'api-ApiAccessLogs' ? [gatewayLine()] : [...(await functionLines()), ...LAMBDA];

/** A field as Insights names it: `record.metrics.durationMs`. */
const fieldOf = (line: unknown, field: string): unknown =>
  field.split('.').reduce<unknown>((value, part) => (Object(value) as Readonly<Record<string, unknown>>)[part], line);

/** Whether a line meets a filter: as much of https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-Filter.html as is used. */
const meets = (line: Line, filter: string): boolean =>
  filter.split(' or ').some((part) => part.split(' and ').every((clause) => holds(line, clause)));

function holds(line: Line, clause: string): boolean {
  const [, present] = /^ispresent\(([\w.]+)\)$/.exec(clause) ?? [];
  if (present !== undefined) return fieldOf(line, present) !== undefined;
  const [, field = '', operator, text = ''] = /^([\w.]+) (=|!=|in) (.+)$/.exec(clause) ?? [];
  const value = fieldOf(line, field);
  // Missing fields are not compared.
  if (value === undefined) return false;
  switch (operator) {
    case '=':
      return JSON.stringify(value) === text;
    case '!=':
      return JSON.stringify(value) !== text;
    case 'in':
      return JSON.parse(text).includes(value);
    default:
      throw new Error(`the filter ${clause} is not understood`);
  }
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html: what the queries use of it. */
const COMMANDS = ['fields', 'filter', 'stats', 'sort', 'limit'];
const FUNCTIONS = ['count', 'sum', 'pct', 'max', 'bin', 'strcontains', 'ispresent'];
const WORDS = new Set([...COMMANDS, ...FUNCTIONS, 'by', 'as', 'and', 'or', 'in', 'desc']);
/** Every line has them. */
const BUILT_IN = ['@timestamp', '@log', '@message'];

const commandsOf = ({ text }: Query): string[] => text.split(/\n\| /);

/** Names of fields in a query, without texts, numbers, durations and the names that it gives itself. */
function fieldsIn({ text }: Query): string[] {
  const plain = text.replaceAll(/"[^"]*"/g, '').replaceAll(/\b\d+[smhd]?\b/g, '');
  const given = Array.from(plain.matchAll(/\bas (\w+)/g), ([, name]) => name);
  const words = Array.from(plain.matchAll(/@?[A-Za-z_][\w.]*/g), ([word]) => word);
  return words.filter((word) => !WORDS.has(word) && !given.includes(word) && !BUILT_IN.includes(word));
}

describe('the queries', () => {
  it('of the page are all there, over both kinds of logs', () => {
    expect(documented.length).toBe(Array.from(section.matchAll(/^```$/gm)).length / 2);
    expect(documented.length).toBeGreaterThan(8);
    expect(new Set(documented.map(({ logs }) => logs))).toEqual(new Set(['Functions', 'api-ApiAccessLogs']));
  });

  it.each([...documented, ...ofCommands])('find lines that have their fields: $text', async (query) => {
    const lines = await linesOf(query.logs);
    const commands = commandsOf(query);
    for (const command of commands) expect(COMMANDS).toContain(command.split(' ')[0]);
    const filters = commands.filter((command) => command.startsWith('filter ')).map((command) => command.slice(7));
    const found = lines.filter((line) => filters.every((filter) => meets(line, filter)));
    expect(found.length).toBeGreaterThan(0);
    // Not all of them have all: one that timed out has no type of an error.
    for (const field of fieldsIn(query)) {
      expect(
        found.map((line) => fieldOf(line, field)).filter((value) => value !== undefined),
        field,
      ).not.toEqual([]);
    }
  });

  it('about what Lambda ended find that, and about cold starts those', () => {
    const foundBy = (text: RegExp): unknown[] => {
      const query = documented.find((each) => text.test(each.text));
      const filter = commandsOf(query ?? { logs: '', text: '' })[0]?.slice(7) ?? '';
      return LAMBDA.filter((line) => meets(line, filter)).map((line) => fieldOf(line, 'record.status'));
    };
    expect(foundBy(/record\.status != /)).toEqual(['timeout', 'error']);
    expect(foundBy(/ispresent\(record\.metrics\.initDurationMs\)/)).toEqual(['success']);
  });
});
