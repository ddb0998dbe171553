import type { Expression } from './parse.ts';

/** A number, one for each period, or several of those. */
export type Type = 'scalar' | 'series' | 'array';

type Signature = (given: readonly Type[]) => Type | undefined;

/**
 * Of one series these would make a number over all of it, and how much of it there is, is up to CloudWatch when it looks at an alarm: AWS advises against that,
 * so it is refused here.
 */
const aggregate: Signature = ([of, ...more]) => (more.length > 0 || of !== 'array' ? undefined : 'series');

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html#metric-math-syntax-functions-list */
const FUNCTIONS: Readonly<Record<string, Signature>> = {
  FILL: ([of, by, ...more]) => (more.length > 0 || by !== 'scalar' || of === 'scalar' ? undefined : of),
  IF: (given) =>
    (given.length === 2 || given.length === 3) && !given.includes('array') && given.includes('series')
      ? 'series'
      : undefined,
  MAX: aggregate,
  MIN: aggregate,
  SUM: aggregate,
  SERVICE_QUOTA: ([of, ...more]) => (more.length > 0 || of !== 'series' ? undefined : 'series'),
};

/**
 * What an expression makes.
 * @param ofId the type of an id; undefined where there is none
 * @throws TypeError where CloudWatch would refuse it, or AWS advises against it
 */
export function typeOf(expression: Expression, ofId: (id: string) => Type | undefined): Type {
  const types = (all: readonly Expression[]): Type[] => all.map((each) => typeOf(each, ofId));
  switch (expression.kind) {
    case 'number':
      return 'scalar';
    case 'id':
      return ofId(expression.id) ?? refused(`${expression.id} is not defined`);
    case 'array':
      if (types(expression.items).includes('scalar')) refused('a scalar in an array of time series');
      return 'array';
    case 'call': {
      const signature = FUNCTIONS[expression.name] ?? refused(`${expression.name} is no function`);
      const given = types(expression.given);
      return signature(given) ?? refused(`${expression.name} does not take ${given.join(', ')}`);
    }
    case 'operation': {
      const sides = types(expression.sides);
      if (/[=<>&|A-Z]/.test(expression.operator) && sides.includes('array')) refused('an array is not compared');
      return (['array', 'series'] as const).find((type) => sides.includes(type)) ?? 'scalar';
    }
  }
}

function refused(reason: string): never {
  throw new TypeError(reason);
}
