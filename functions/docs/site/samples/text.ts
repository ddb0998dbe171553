/** What samples are made of: plain data, so that a browser makes them, too, of what is typed into a form. */

export interface SampleData {
  readonly operationId: string;
  readonly method: string;
  /** That of the contract: `/api/v1/clients/{id}`. */
  readonly template: string;
  /** With values in it, encoded. Texts such as `{{client_id}}` stand for variables. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  /** Beside those that every sample of the operation has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: 'bearer' | 'signature' | 'none';
  readonly body: unknown;
  /** Takes an `Idempotency-Key`. */
  readonly isIdempotent: boolean;
  readonly returns: 'json' | 'text' | 'nothing';
}

export interface Sample {
  readonly language: 'curl' | 'TypeScript' | 'Python';
  readonly text: string;
}

/** What a text consists of: `/clients/{{client_id}}` is a text and a variable. */
export const partsOf = (text: string): readonly ({ readonly text: string } | { readonly variable: string })[] =>
  text
    .split(/(\{\{\w+\}\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\{\w+\}\}$/.test(part) ? { variable: part.slice(2, -2) } : { text: part }));

/** `client_id` is `clientId`. */
export const inCamelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A literal in one line where it has room beside \`room\` characters, else with one element in each line. */
export function bracketed(
  [open, close]: readonly [string, string],
  elements: readonly string[],
  { indent = '', step = '  ', room = 30 },
): string {
  const line = `${open}${elements.join(', ')}${close}`;
  if (indent.length + line.length + room <= WIDTH && !line.includes('\n')) return line;
  const lines = elements.map((element) => `${indent}${step}${element},\n`);
  return `${open.trim()}\n${lines.join('')}${indent}${close.trim()}`;
}

/** As formatters of TypeScript and Python have it. */
const WIDTH = 80;
