import { BATCH, FEED, readableCall } from '../../../../packages/client/generate/calls.ts';
import { bracketed, inCamelCase, partsOf, type SampleData } from './text.ts';

/** Calls of `@custodia/client`, whose instance is `custodia`. */

export const TYPESCRIPT_SETUP = `import { createCustodia } from '@custodia/client';

const baseUrl = 'http://127.0.0.1:3000';
const appCode = 'acme-billing';
const secret = 'cst_…';`;

const LOGIN = `// Logs in with its first request, and renews the token before it ends.
const custodia = createCustodia({ baseUrl, credentials: { appCode, secret } });`;

export function typescriptOf(request: SampleData): string {
  if (request.operationId === 'login') return LOGIN;
  const { operationId, method, template, body, query, headers, auth } = request;
  if (auth === 'signature') return `const { receipt } = await custodia.sendWebhook(${literalOf(body)});`;
  if (template === FEED) {
    const options = literalOf({ ...query, follow: false });
    return `for await (const event of custodia.events(${options})) {\n  console.log(event);\n}`;
  }
  if (template === BATCH) {
    const { operations } = body as { readonly operations?: unknown };
    return `const { results } = await custodia.batch(${literalOf(operations)});`;
  }
  const { group, name, isList, sends } = readableCall(method, template, { operationId, requestBody: body });
  const isQueried = Object.keys(query).length > 0;
  const hasHeaders = Object.keys(headers).length > 0;
  const options = {
    ...(isQueried && sends !== 'query' ? { query } : {}),
    ...(hasHeaders ? { headers } : {}),
  };
  const queried = sends === 'query' && (isQueried || hasHeaders) ? query : undefined;
  const given = [...parametersOf(request), body, queried, Object.keys(options).length === 0 ? undefined : options];
  const call = `custodia.${group}.${name}(${given
    .filter((each) => each !== undefined)
    .map((each) => literalOf(each))
    .join(', ')})`;
  const result = resultOf(group, name);
  if (isList) return `for await (const ${result} of ${call}) {\n  console.log(${result});\n}`;
  return `${request.returns === 'nothing' ? '' : `const ${result} = `}await ${call};`;
}

/** The values of the path's parameters. */
function parametersOf({ template, path }: SampleData): string[] {
  const values = path.split('/');
  return template
    .split('/')
    .flatMap((segment, index) => (segment.startsWith('{') ? decodeURIComponent(values[index] ?? '') : []));
}

/** `clients.get` returns a `client`, `tickets.listMessages` has each `message`, `docs.getFile` a `file`. */
function resultOf(group: string, name: string): string {
  const [, verb, named] = /^(list|create|get)((?!Of)[A-Z]\w*)$/.exec(name) ?? [];
  const words = named === undefined ? group : named.replace(/^\w/, (letter) => letter.toLowerCase());
  return verb === 'get'
    ? words
    : words
        .replace(/ies$/, 'y')
        .replace(/s$/, '')
        .replace(/^history$/, 'entry');
}

/** As Prettier and Biome format it. */
function literalOf(value: unknown, indent = '', room = 30): string {
  if (typeof value === 'string') return textOf(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) => {
    const literal = literalOf(member, inner, 20);
    if (isList) return literal;
    return literal === name ? name : `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal}`;
  });
  if (members.length === 0) return isList ? '[]' : '{}';
  return bracketed(isList ? ['[', ']'] : ['{ ', ' }'], members, { indent, room });
}

function textOf(text: string): string {
  const parts = partsOf(text);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'variable' in only) return inCamelCase(only.variable);
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
