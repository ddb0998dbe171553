/**
 * The metric math that alarms and dashboard are held to: arithmetic and comparisons of `FILL(id, 0)`, `IF` and
 * `SERVICE_QUOTA`. It has no arrays and no functions over a series, for which CloudWatch has rules of types.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
const WORDS = /[A-Za-z_]\w*|\d+(?:\.\d+)?|>=|<=|[-+*/<>(),]|\s+|./g;
const FUNCTIONS = ['FILL', 'IF', 'SERVICE_QUOTA'];

/** The ids of metrics in an expression. */
export const idsIn = (expression: string): string[] => expression.match(/\b[a-z]\w*/g) ?? [];

/** Parts of an expression that CloudWatch might refuse, or that have no value. */
export function faultsIn(expression: string, metrics: readonly string[]): string[] {
  const words = expression.match(WORDS) ?? [];
  const bare = idsIn(expression.replaceAll(/FILL\(\w+, 0\)|SERVICE_QUOTA\(\w+\)/g, ''));
  return [
    ...words.filter((word) => /^[A-Z_]/.test(word) && !FUNCTIONS.includes(word)).map((word) => `${word} is not known`),
    ...words.filter((word) => /^[^\w\s(),<>=*/+-]/.test(word)).map((word) => `${word} is not known`),
    ...idsIn(expression)
      .filter((id) => !metrics.includes(id))
      .map((id) => `${id} is not defined`),
    ...metrics.filter((id) => !idsIn(expression).includes(id)).map((id) => `${id} is defined and not used`),
    // An expression has no value where one of its metrics has none, unless it is the only one.
    ...(metrics.length > 1 ? bare.map((id) => `${id} may be missing, and with it the result`) : []),
  ];
}
