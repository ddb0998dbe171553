/**
 * Whether a metric filter counts a line, by as much of the syntax as the stack uses; the rest throws.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function matches(pattern: string, line: string): boolean {
  const phrase = /^"([^"]+)"$/.exec(pattern)?.[1];
  if (phrase !== undefined) return line.includes(phrase);
  const condition = /^\{ (.+) \}$/.exec(pattern)?.[1];
  if (condition === undefined) throw new TypeError(`${pattern} is not simulated`);
  const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return condition.split(' || ').some((each) => holds(each.replace(/^\((.*)\)$/, '$1'), fields));
}

/** Of a text in quotes: a number is no text that looks like one. */
function holds(comparison: string, fields: Readonly<Record<string, unknown>>): boolean {
  const [, field = '', value] = /^\$\.(\w+) = "([^"*]*)"$/.exec(comparison) ?? [];
  if (value === undefined) throw new TypeError(`${comparison} is not simulated`);
  return fields[field] === value;
}
