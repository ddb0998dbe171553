import { inCamelCase, partsOf, type SampleRequest, set } from './request.ts';

/** A call of `@custodia/client`, whose instance is `custodia`. */
export function typescriptOf(operationId: string, route: { readonly path: string }, request: SampleRequest): string {
  const { method, path, body } = request;
  const names = Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  const values = pattern.exec(path)?.slice(1) ?? [];
  const params = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  const init = set({ params: names.length === 0 ? undefined : { path: params }, body });
  const given = Object.keys(init).length === 0 ? '' : `, ${literalOf(init)}`;
  return `const { data: ${resultOf(operationId)} } = await custodia.${method}('${route.path}'${given});`;
}

const resultOf = (operationId: string): string =>
  /^create(\w+)$/.exec(operationId)?.[1]?.replace(/^\w/, (letter) => letter.toLowerCase()) ?? 'data';

const WIDTH = 80;

/** As Biome and Prettier format it. */
export function literalOf(value: unknown, indent = ''): string {
  if (typeof value === 'string') return textOf(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }'];
  const members = Object.entries(value).map(([name, member]) =>
    isList ? literalOf(member, inner) : `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literalOf(member, inner)}`,
  );
  const line = `${open}${members.join(', ')}${close}`;
  if (members.length === 0) return open.trim() + close.trim();
  if (indent.length + line.length <= WIDTH && !line.includes('\n')) return line;
  return `${open.trim()}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close.trim()}`;
}

function textOf(text: string): string {
  const parts = partsOf(text);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'variable' in only) return inCamelCase(only.variable);
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
