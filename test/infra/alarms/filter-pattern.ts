import { runInNewContext } from 'node:vm';

/**
 * Whether a metric filter counts a line, by as much of the syntax as the stack uses; the rest throws.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function matches(pattern: string, line: string): boolean {
  const phrase = /^"([^"]+)"$/.exec(pattern)?.[1];
  if (phrase !== undefined) return line.includes(phrase);
  const condition = /^\{ (.+) \}$/.exec(pattern)?.[1];
  if (condition === undefined) throw new TypeError(`${pattern} is not simulated`);
  const fields = JSON.parse(line) as object;
  const decided = condition.replaceAll(/\$\.([\w.]+) = "([^"]*)"/g, (_, path: string, text: string) =>
    String(holds(fields, path, text)),
  );
  if (!/^(?:true|false|&&|\|\||[() ])+$/.test(decided)) throw new TypeError(`${pattern} is not simulated`);
  return runInNewContext(decided) as boolean;
}

/** Of a text in quotes, which may end with any text: a number is no text that looks like one. */
function holds(fields: object, path: string, text: string): boolean {
  const value = path.split('.').reduce<unknown>((of, name) => Object(of)[name], fields);
  if (typeof value !== 'string') return false;
  return text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : value === text;
}
