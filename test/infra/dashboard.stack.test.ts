import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contracts } from '../../functions/all-contracts.ts';
import { accessLine } from '../../shared/telemetry/access-line.ts';
import { Invocation } from '../../shared/telemetry/invocation.ts';
import { COUNTERS, type Counter, DECISIONS, DURATION, STATUS_CLASSES } from '../../shared/telemetry/metrics.ts';
import { faultsIn, idsIn } from './alarms/formula.ts';
import { unpublished } from './alarms/published.ts';
import { referredBy, resourcesOf, synthesize, type Templates } from './synthesize.ts';

/** The dashboard of a stage shows what is published, of everything that is in the stack. */

const NAMESPACE = 'Custodia/custodia-dev';

/** Of a metric: namespace, name, then name and value of each dimension, then how it is shown. */
const metricRow = z.array(z.unknown()).transform((row) => {
  const [namespace, name, ...dimensions] = row.slice(0, -1).map(String);
  const shown = z.object({ stat: z.string().default('Average'), id: z.string().optional() }).parse(row.at(-1));
  return {
    namespace: namespace ?? '',
    name: name ?? '',
    dimensions: new Map(
      Array.from({ length: dimensions.length / 2 }, (_, at) => [dimensions[at * 2], dimensions[at * 2 + 1]]),
    ),
    statistic: shown.stat,
    id: shown.id,
  };
});
const expressionRow = z.tuple([z.object({ expression: z.string() })]).transform(([{ expression }]) => ({ expression }));

const widgetSchema = z.object({
  type: z.enum(['metric', 'text']),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  properties: z.object({
    title: z.string().optional(),
    region: z.string().optional(),
    metrics: z.array(z.union([expressionRow, metricRow])).default([]),
  }),
});

/** A dashboard's body, its references to resources replaced by their logical ids. */
function dashboardsIn(of: Templates) {
  return resourcesOf(of.operations, 'AWS::CloudWatch::Dashboard').map(([, { Properties }]) => {
    const { DashboardBody } = z
      .object({ DashboardBody: z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }) })
      .parse(Properties);
    const text = DashboardBody['Fn::Join'][1].map((part) => referredBy(part, of));
    return z.object({ widgets: z.array(widgetSchema) }).parse(JSON.parse(text.join(''))).widgets;
  });
}

type Widget = z.infer<typeof widgetSchema>;

let templates: Templates;
let widgets: readonly Widget[];
beforeAll(() => {
  templates = synthesize();
  const [only, ...others] = dashboardsIn(templates);
  expect(others).toEqual([]);
  widgets = only ?? [];
});

const metricsOf = ({ properties }: Widget) => properties.metrics.flatMap((row) => ('namespace' in row ? [row] : []));
const expressionsOf = ({ properties }: Widget) =>
  properties.metrics.flatMap((row) => ('expression' in row ? [row.expression] : []));
const titled = (title: string): Widget => {
  const found = widgets.filter(({ properties }) => properties.title === title);
  expect(found, title).toHaveLength(1);
  return found[0] as Widget;
};

/** What the functions publish, as their own lines say it. */
function ofFunctions() {
  const invocation = new Invocation({});
  for (const counter of Object.keys(COUNTERS)) invocation.count(counter as Counter);
  const line = accessLine({ invocation, domain: 'any', outcome: '2xx', at: 0, duration: 1 }, NAMESPACE);
  const { CloudWatchMetrics } = line._aws as {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  const published = CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
    Metrics.map(({ Name, Unit }) => [
      Name,
      { dimensions: Dimensions[0] ?? [], statistics: Unit === 'Count' ? ['Sum'] : ['SampleCount', 'p50', 'p99'] },
    ]),
  );
  return { [NAMESPACE]: Object.fromEntries(published) };
}

describe('the dashboard', () => {
  it('shows metrics that are published, by their dimensions, with a statistic that means something', () => {
    const shown = widgets
      .flatMap(metricsOf)
      .map((row) => ({ ...row, dimensions: [...row.dimensions.keys()].map(String) }));
    expect(shown.length).toBeGreaterThan(10 * contracts.length);
    expect(unpublished(shown, templates, ofFunctions())).toEqual([]);
  });

  it('computes what CloudWatch can compute, also while a metric is missing', () => {
    for (const widget of widgets) {
      const ids = metricsOf(widget).flatMap(({ id }) => id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      for (const expression of expressionsOf(widget)) {
        const used = idsIn(expression);
        expect(ids, widget.properties.title).toEqual(expect.arrayContaining(used));
        expect(faultsIn(expression, used), widget.properties.title).toEqual([]);
      }
    }
    expect(widgets.flatMap(expressionsOf).length).toBeGreaterThan(2 * contracts.length);
  });

  it('has a row for every domain, of its own metrics and its own function', () => {
    const functionOf = new Map(
      resourcesOf(templates, 'AWS::Lambda::Function').map(
        ([
          ,
          {
            Properties: { FunctionName },
          },
        ]) => [String(FunctionName).replace('custodia-dev-', ''), FunctionName],
      ),
    );
    for (const { name } of contracts) {
      const row = widgets.filter(({ properties }) => properties.title?.startsWith(`${name}: `));
      expect(row.map(({ properties }) => properties.title)).toEqual([
        `${name}: requests`,
        `${name}: errors in per cent`,
        `${name}: time in ms`,
        `${name}: throttled and crashed`,
      ]);
      expect(new Set(row.map(({ y }) => y)).size).toBe(1);
      for (const { dimensions } of row.flatMap(metricsOf)) {
        expect([name, functionOf.get(name)]).toContain(dimensions.get('domain') ?? dimensions.get('FunctionName'));
      }
      const requests = metricsOf(titled(`${name}: requests`));
      expect(requests.map(({ dimensions }) => dimensions.get('outcome'))).toEqual([...STATUS_CLASSES]);
    }
  });

  it('shows what the authorizer decided, and every counter of the functions', () => {
    const decisions = metricsOf(titled('authorizer: decisions'));
    expect(decisions.map(({ name, dimensions }) => [name, ...dimensions.values()])).toEqual(
      DECISIONS.map((outcome) => [DURATION, 'authorizer', outcome]),
    );
    const own = widgets
      .flatMap(metricsOf)
      .filter(({ namespace, dimensions }) => namespace === NAMESPACE && dimensions.size === 0);
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(COUNTERS)));
  });

  it('is about the table, the keys and the firewall, too', () => {
    const namespaces = new Set(widgets.flatMap(metricsOf).map(({ namespace }) => namespace));
    expect(namespaces).toEqual(
      new Set([NAMESPACE, 'AWS/ApiGateway', 'AWS/Lambda', 'AWS/DynamoDB', 'AWS/Usage', 'AWS/WAFV2']),
    );
  });

  it('fits: nothing lies over another, within the columns and the limits of CloudWatch', () => {
    const taken = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, at) => `${x + (at % width)},${y + Math.floor(at / width)}`),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBe(24);
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
    expect(widgets.length).toBeLessThan(500);
    expect(widgets.flatMap(metricsOf).length).toBeLessThan(2_500);
  });

  it('goes by a name that is the stage’s in its region, for all regions of an account share their names', () => {
    const DashboardName = { 'Fn::Join': ['', ['custodia-dev-', { Ref: 'AWS::Region' }]] };
    templates.operations.hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName });
  });

  it('is not there where the stage wants none', () => {
    expect(dashboardsIn(synthesize({ context: { dashboard: 'false' } }))).toEqual([]);
  });
});
