import { describe, expect, it } from 'vitest';
import { faultsOf } from './alarms-in.ts';
import { evaluate, type Reading, type Series } from './evaluate.ts';
import { parse } from './parse.ts';
import { typeOf } from './types.ts';

/** The tests' own metric math says what the documentation says: its examples, and what CloudWatch refused or overlooked before. */

const _ = undefined;
const resultOf = (expression: string, series: Record<string, Series>, reading: Reading = 'nothing') =>
  evaluate(parse(expression), { series, quotas: { used: 200 }, reading });

const typed = (expression: string) =>
  typeOf(parse(expression), (id) => (/^(m[1-3]|all|failed)$/.test(id) ? 'series' : undefined));

describe('what an alarm may compute', () => {
  it.each([
    ['100 * failed / MAX([all, 20])', /a scalar in an array of time series/],
    ['m1 + m9', /m9 is not defined/],
    ['FILL(5, 0)', /FILL does not take scalar, scalar/],
    ['IF(1 > 2, 3, 4)', /IF does not take/],
    ['[m1, m2] > 5', /an array is not compared/],
    ['Max([m1, m2])', /Max is no function/],
    ['m1 - MAX(m1)', /MAX does not take series/],
  ])('is not %s', (expression, reason) => {
    expect(() => typed(expression)).toThrow(reason);
  });

  it.each(['m1 +', '(m1', 'm1 m2', 'FILL(m1,)', '* m1', 'm1 ? m2', '[]'])(
    'is not %s, which nobody can read',
    (expression) => {
      expect(() => parse(expression)).toThrow(SyntaxError);
    },
  );

  it.each([
    ['100 * failed / IF(all > 20, all, 20)', 'series'],
    ['MAX([m1, m2]) / m1', 'series'],
    ['SUM([m1, m2]) * 100', 'series'],
    ['[m1, m2] * 5', 'array'],
    ['2 * 3', 'scalar'],
  ])('is %s, of the type %s', (expression, type) => {
    expect(typed(expression)).toBe(type);
  });
});

describe('operators', () => {
  it('bind as in arithmetic', () => {
    expect(resultOf('1 + 2 * m ^ 2 / 4 > 2 AND m < 3', { m: [1, 2, 3] })).toEqual([0, 1, 0]);
    expect(resultOf('10 - 3 - m', { m: [2] })).toEqual([5]);
  });

  const metrics = { metric1: [30, 20, 0, 0], metric2: [20, _, 20, _] };
  it.each([
    ['(metric1 < metric2)', [0, 0, 1, 0]],
    ['(metric1 >= 30)', [1, 0, 0, 0]],
    ['(metric1 > 15 AND metric2 > 15)', [1, 0, 0, 0]],
  ])('compare as the table of the documentation says: %s', (expression, expected) => {
    expect(resultOf(expression, metrics)).toEqual(expected);
  });

  it('of arithmetic have no value, or take 0, where one side is missing: whichever is true', () => {
    const metrics = { reads: [_, 3, _], writes: [12, 4, _] };
    expect(resultOf('reads + writes', metrics, 'nothing')).toEqual([_, 7, _]);
    expect(resultOf('reads + writes', metrics, 'zero')).toEqual([12, 7, _]);
    for (const reading of ['nothing', 'zero'] as const)
      expect(resultOf('FILL(reads, 0) + FILL(writes, 0)', metrics, reading)).toEqual([12, 7, 0]);
  });

  it('drop what is divided by zero', () => {
    expect(resultOf('100 / m', { m: [0, 4] })).toEqual([_, 25]);
  });
});

describe('functions', () => {
  const metrics = { metric1: [1, 1, 0, 0, _], metric2: [30, _, 0, 0, 30], metric3: [0, 0, 20, _, 20] };
  it.each([
    ['IF(metric1, metric2, metric3)', [30, 0, 20, _, _]],
    ['IF(metric1, 5, metric3)', [5, 5, 20, _, _]],
    ['IF(metric1, metric2, 5)', [30, 0, 5, 5, _]],
    ['IF(metric2 > 10, metric2)', [30, _, _, _, 30]],
  ])('choose as the tables of the documentation say: %s', (expression, expected) => {
    expect(resultOf(expression, metrics)).toEqual(expected);
  });

  it('go over several series', () => {
    const series = { a: [1, _, _], b: [2, 5, _] };
    expect(resultOf('MAX([a, b])', series)).toEqual([2, 5, _]);
    expect(resultOf('MIN([a, b])', series)).toEqual([1, 5, _]);
    expect(resultOf('SUM([a, b])', series)).toEqual([3, 5, _]);
  });

  it('know the quota of a metric', () => {
    expect(resultOf('100 * used / SERVICE_QUOTA(used)', { used: [50, _, 200] })).toEqual([25, _, 100]);
  });
});

describe('an alarm', () => {
  const metric = (Id: string, Period = 300) => ({
    Id,
    ReturnData: false,
    MetricStat: { Metric: { Namespace: 'N', MetricName: 'M', Dimensions: [] }, Period, Stat: 'Sum' },
  });
  const expression = (Expression: string, Id = 'result') => ({ Id, Expression, ReturnData: true });

  it.each([
    ['100 * failed / MAX([all, 20])', ['failed', 'all'], 'a scalar in an array of time series'],
    ['reads + writes', ['reads', 'writes'], 'reads may be missing, and with it the result'],
    ['FILL(reads, 0) + FILL(writes, 0)', ['reads'], 'writes is not defined'],
    ['FILL(reads, 0)', ['reads', 'writes'], 'writes is defined and not used'],
    ['Reads * 2', ['Reads'], 'Reads does not begin with a lower-case letter'],
    ['reads * 2', ['reads', 'reads'], 'reads is defined twice'],
    ['2 * 3', [], 'result is not one series but a scalar'],
    ['[reads, reads]', ['reads'], 'result is not one series but a array'],
  ])('of %s over %j has a fault', (text, ids, fault) => {
    expect(faultsOf({ Metrics: [expression(text), ...ids.map((id) => metric(id))] })).toContain(fault);
  });

  it('has a fault with more metrics than CloudWatch takes, metrics of different periods, or two results', () => {
    const many = Array.from({ length: 11 }, (_, index) => `m${index}`);
    const sum = many.map((id) => `FILL(${id}, 0)`).join(' + ');
    expect(faultsOf({ Metrics: [expression(sum), ...many.map((id) => metric(id))] })).toEqual([
      'more than ten metrics',
    ]);
    const different = [expression('FILL(a, 0) + FILL(b, 0)'), metric('a'), metric('b', 60)];
    expect(faultsOf({ Metrics: different })).toEqual(['metrics of different periods']);
    expect(faultsOf({ Metrics: [expression('a'), expression('a', 'b'), metric('a')] })).toContain('not one result');
  });

  it('has none where every metric is filled in', () => {
    const rate = [
      expression('100 * FILL(part, 0) / IF(FILL(all, 0) > 20, FILL(all, 0), 20)'),
      metric('part'),
      metric('all'),
    ];
    expect(faultsOf({ Metrics: rate })).toEqual([]);
  });
});
