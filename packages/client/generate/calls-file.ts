import { type Operation, type ReadableCall, readableCalls } from './calls.ts';

/** `src/calls.ts`: a signature for each readable name, and the table by which they are found at run time. */

const HEAD = `/**
 * The readable names of the operations in openapi.json: \`npm run docs\` writes this file, do not edit it.
 */

`;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly required?: boolean;
}

interface Described extends Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The text of `src/calls.ts` for an OpenAPI document. */
export function clientCalls(document: Document): string {
  const groups = [...Map.groupBy(readableCalls(document), ({ group }) => group)].sort(([a], [b]) => (a < b ? -1 : 1));
  const membersOf = (start: string, lineOf: (call: ReadableCall) => string, end: string): string =>
    groups.map(([group, calls]) => `  ${start}${group}: {\n${calls.map(lineOf).join('')}  }${end}\n`).join('');
  const signatures = membersOf('readonly ', (call) => signatureOf(call, document), ';');
  const entries = membersOf('', ({ name, method, path }) => `    ${name}: '${method.toLowerCase()} ${path}',\n`, ',');
  const imports = [
    importOf(['Listing', 'Options', 'Query', 'WithSecret'], './signatures.ts', signatures),
    importOf(['operations', ...Object.keys(document.components.schemas ?? {}).sort()], './schema.ts', signatures),
    importOf(['DataOf'], './types.ts', signatures),
  ];
  return `${HEAD}${imports.join('')}
/** The operations by their readable names. */
export interface Calls {
${signatures}}

type Table = { readonly [G in keyof Calls]: { readonly [N in keyof Calls[G]]: string } };

/** Method and path of each. */
export const CALLS: Table = {
${entries}};
`;
}

/** Of the names those that are in a text, outside of its comments. */
function importOf(names: readonly string[], from: string, text: string): string {
  const words = new Set(text.replace(/^ *\/\*\*.*$/gm, '').match(/\w+/g));
  const used = names.filter((name) => words.has(name));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${from}';\n`;
}

/** `readonly get: (id: string, …) => Promise<Ticket>;`, below what the operation does. */
function signatureOf(call: ReadableCall, document: Document): string {
  const { method, path, name } = call;
  const operation = document.paths[path]?.[method.toLowerCase()] as Described;
  const required = (operation.parameters ?? []).map((each) => resolved(each, document)).filter((each) => each.required);
  const isNeeded = (place: string): boolean => required.some((parameter) => parameter.in === place);

  const id = `'${operation.operationId}'`;
  const query = `query${isNeeded('query') ? '' : '?'}: Query<${id}>`;
  const sent = method === 'GET' ? query : method === 'DELETE' ? undefined : bodyOf(operation);
  const hasOptions = isNeeded('header') || (method !== 'GET' && isNeeded('query'));
  const options = `options${hasOptions ? '' : '?'}: Options<${id}>`;
  const given = [...call.parameters.map((each) => `${each}: string`), sent, options].filter(Boolean).join(', ');
  const comment = `    /** ${operation.summary}: \`${method} ${path}\`. */\n`;
  return `${comment}    readonly ${name}: (${given}) => ${resultOf(call, operation, document)};\n`;
}

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

const jsonOf = ({ content = {} }: Content): Schema | undefined => content['application/json']?.schema;

function bodyOf({ operationId, requestBody }: Described): string {
  if (requestBody === undefined) return 'body?: undefined';
  const inline = `operations['${operationId}']['requestBody']['content']['application/json']`;
  return `body: ${nameOf(jsonOf(requestBody) ?? {}) ?? inline}`;
}

function resultOf({ method, path, isList }: ReadableCall, { responses }: Described, document: Document): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1] ?? {};
  if (success.content === undefined) return 'Promise<void>';
  const schema = jsonOf(success);
  if (schema === undefined) return 'Promise<string>';
  const record = nameOf(schema) ?? `DataOf<'${path}', '${method.toLowerCase()}'>`;
  if (isList) return `Listing<${record}>`;
  // A secret that only the first response shows.
  const isShownOnce = resolved(schema, document).properties?.secret?.type?.includes('null') ?? false;
  return isShownOnce ? `Promise<WithSecret<${record}>>` : `Promise<${record}>`;
}

/** What a reference leads to. */
function resolved<T extends { readonly $ref?: string }>(node: T, { components }: Document): T {
  const [, , kind = '', name = ''] = node.$ref?.split('/') ?? [];
  return node.$ref === undefined ? node : (components[kind]?.[name] as T);
}
