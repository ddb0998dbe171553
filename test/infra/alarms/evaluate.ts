import type { Expression, Operator } from './parse.ts';

/** A value for each period; undefined where nothing was published. */
export type Series = readonly (number | undefined)[];
type Value = number | Series | readonly Series[];

/**
 * What arithmetic makes of a period in which one side has no value. The documentation says 0, people who run alarms say that there is no result: no alarm may
 * depend on who is right.
 */
export type Reading = 'zero' | 'nothing';

interface Given {
  readonly series: Readonly<Record<string, Series>>;
  /** What `SERVICE_QUOTA` answers, by the id of the metric. */
  readonly quotas?: Readonly<Record<string, number>>;
  readonly reading: Reading;
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html */
export function evaluate(expression: Expression, given: Given): Value {
  const of = (each: Expression): Value => evaluate(each, given);
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'id':
      return given.series[expression.id] ?? unknown(expression.id);
    case 'array':
      return expression.items.map((each) => seriesFrom(of(each)));
    case 'operation': {
      const [left, right] = expression.sides.map(of) as [Value, Value];
      return operate(expression.operator, left, right, given.reading);
    }
    case 'call':
      if (expression.name === 'SERVICE_QUOTA') return quotaOf(expression, given);
      return call(expression.name, expression.given.map(of));
  }
}

function call(name: string, [first, second, third]: readonly Value[]): Value {
  switch (name) {
    case 'FILL':
      return seriesFrom(first).map((value) => value ?? numberFrom(second));
    case 'IF':
      return choose(first, second, third);
    case 'MAX':
      return across(first, (values) => Math.max(...values));
    case 'MIN':
      return across(first, (values) => Math.min(...values));
    case 'SUM':
      return across(first, (values) => values.reduce((sum, value) => sum + value, 0));
    default:
      return unknown(name);
  }
}

/** Where the condition has no value, there is none; a missing value of the first choice is 0, and of the second none. */
function choose(condition: Value | undefined, yes: Value | undefined, no: Value | undefined): Series {
  const length = [condition, yes, no].find((each): each is Series => Array.isArray(each))?.length ?? 0;
  return Array.from({ length }, (_, period) => {
    const chosen = at(condition, period);
    if (chosen === undefined) return undefined;
    return chosen === 0 ? at(no, period) : (at(yes, period) ?? 0);
  });
}

function across(all: Value | undefined, of: (values: readonly number[]) => number): Series {
  const [first = [], ...others] = all as readonly Series[];
  return first.map((_, period) => {
    const values = [first, ...others].map((each) => each[period]).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : of(values);
  });
}

const OPERATIONS: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '^': (left, right) => left ** right,
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '<=': (left, right) => Number(left <= right),
  '>=': (left, right) => Number(left >= right),
  '<': (left, right) => Number(left < right),
  '>': (left, right) => Number(left > right),
  AND: (left, right) => Number(left !== 0 && right !== 0),
  '&&': (left, right) => Number(left !== 0 && right !== 0),
  OR: (left, right) => Number(left !== 0 || right !== 0),
  '||': (left, right) => Number(left !== 0 || right !== 0),
};

const ARITHMETIC = /^[-+*/^]$/;

function operate(operator: Operator, left: Value, right: Value, reading: Reading): Value {
  const missing = ARITHMETIC.test(operator) && reading === 'nothing' ? undefined : 0;
  const one = (a: number | undefined, b: number | undefined): number | undefined => {
    const result = a === undefined || b === undefined ? undefined : OPERATIONS[operator](a, b);
    // A division by zero has no value.
    return Number.isFinite(result) ? result : undefined;
  };
  if (typeof left === 'number' && typeof right === 'number')
    return one(left, right) ?? unknown(`${left} ${operator} ${right}`);
  if (typeof left === 'number') return seriesFrom(right).map((value) => one(left, value));
  if (typeof right === 'number') return seriesFrom(left).map((value) => one(value, right));
  const others = seriesFrom(right);
  return seriesFrom(left).map((value, period) => {
    const other = others[period];
    return value === undefined && other === undefined ? undefined : one(value ?? missing, other ?? missing);
  });
}

function quotaOf({ given: [metric] }: Extract<Expression, { kind: 'call' }>, { series, quotas = {} }: Given): Series {
  if (metric?.kind !== 'id') return unknown('SERVICE_QUOTA of something else than a metric');
  return (series[metric.id] ?? unknown(metric.id)).map((value) =>
    value === undefined ? undefined : quotas[metric.id],
  );
}

const at = (value: Value | undefined, period: number): number | undefined =>
  typeof value === 'number' ? value : seriesFrom(value ?? [])[period];

const seriesFrom = (value: Value | undefined): Series =>
  typeof value === 'object' && !value.some(Array.isArray)
    ? (value as Series)
    : unknown(`${value} where a series should be`);

const numberFrom = (value: Value | undefined): number => (typeof value === 'number' ? value : unknown(`${value}`));

function unknown(what: string): never {
  throw new TypeError(`${what} is not simulated`);
}
