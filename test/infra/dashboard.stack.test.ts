import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DECISIONS, DURATION, STATUS_CLASSES } from '#telemetry';
import { contracts } from '../../functions/all-contracts.ts';
import { COUNTERS } from '../../shared/telemetry/metrics.ts';
import { faultsIn, idsIn } from './alarms/formula.ts';
import { ofFunctions, unpublished } from './alarms/published.ts';
import { stageOf, synthesize } from './synthesize.ts';

/** The dashboard of a stage shows published metrics, for everything in the stack. */

const NAMESPACE = 'Custodia/custodia-dev';

/** Of a metric: namespace, name, then name and value of each dimension, then how it is shown. */
const metricRow = z.array(z.unknown()).transform((row) => {
  const [namespace = '', name = '', ...dimensions] = row.slice(0, -1).map(String);
  const { stat, id } = z.object({ stat: z.string().default('Average'), id: z.string().optional() }).parse(row.at(-1));
  const names = dimensions.filter((_, at) => at % 2 === 0);
  return {
    namespace,
    name,
    dimensions: names,
    values: dimensions.filter((_, at) => at % 2 === 1),
    statistic: stat,
    id,
  };
});
const expressionRow = z.tuple([z.object({ expression: z.string() })]).transform(([{ expression }]) => ({ expression }));
const widgetSchema = z.object({
  y: z.number(),
  properties: z.object({
    title: z.string().default(''),
    metrics: z.array(z.union([expressionRow, metricRow])).default([]),
  }),
});

const templates = synthesize();
const [board] = [...stageOf(templates).resources.values()].filter(({ Type }) => Type === 'AWS::CloudWatch::Dashboard');
const { widgets } = z
  .object({ widgets: z.array(widgetSchema) })
  .parse(JSON.parse(String(board?.Properties.DashboardBody)));

type Widget = z.infer<typeof widgetSchema>;
const metricsOf = ({ properties }: Widget) => properties.metrics.flatMap((row) => ('namespace' in row ? [row] : []));
const expressionsOf = ({ properties }: Widget) =>
  properties.metrics.flatMap((row) => ('expression' in row ? [row.expression] : []));
const shown = widgets.flatMap(metricsOf);

describe('the dashboard', () => {
  it('shows metrics that are published, by their dimensions, with a statistic that means something', () => {
    expect(shown.length).toBeGreaterThan(10 * contracts.length);
    expect(unpublished(shown, templates, ofFunctions(NAMESPACE))).toEqual([]);
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
    for (const { name } of contracts) {
      const row = widgets.filter(({ properties }) => properties.title.startsWith(`${name}: `));
      const titles = ['requests', 'errors in per cent', 'time in ms', 'throttled and crashed'];
      expect(row.map(({ properties }) => properties.title)).toEqual(titles.map((title) => `${name}: ${title}`));
      expect(new Set(row.map(({ y }) => y)).size).toBe(1);
      for (const { values } of row.flatMap(metricsOf)) expect([name, `custodia-dev-${name}`]).toContain(values[0]);
      expect(metricsOf(row[0] as Widget).map(({ values }) => values.at(-1))).toEqual([...STATUS_CLASSES]);
    }
  });

  it('shows what the authorizer decided, every counter of the functions, the table, the keys, the firewall and deliveries', () => {
    const decisions = shown.filter(({ name, values }) => name === DURATION && values[0] === 'authorizer');
    expect(decisions.map(({ values }) => values[1])).toEqual([...DECISIONS]);
    const counters = shown.filter(({ namespace, dimensions }) => namespace === NAMESPACE && dimensions.length === 0);
    expect(counters.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(COUNTERS)));
    const namespaces = ['ApiGateway', 'Lambda', 'DynamoDB', 'Usage', 'WAFV2', 'SQS'].map((name) => `AWS/${name}`);
    expect(new Set(shown.map(({ namespace }) => namespace))).toEqual(new Set([NAMESPACE, ...namespaces]));
  });
});
