/**
 * The readable names of operations: `GET /api/v1/tickets/{id}` is `custodia.tickets.get(id)`. They follow from path and
 * `operationId`, so a new operation has one at once.
 */

/** How an operation is called by its readable name: `custodia.<group>.<name>(…parameters, body or query, options)`. */
export interface ReadableCall {
  /** The part of the path that the operation is about: `tickets`, `serviceActions`. */
  readonly group: string;
  /** The `operationId` without the words of the group: `create`, `listMessages`. */
  readonly name: string;
  /** `GET`, `POST` … */
  readonly method: string;
  readonly path: string;
  /** The parameters of the path in their order, such as `id`: the first arguments. */
  readonly parameters: readonly string[];
  /** The argument after them; undefined where nothing is sent. */
  readonly sends: 'body' | 'query' | undefined;
  /** Whether the result is iterated, record by record. */
  readonly isList: boolean;
}

export interface Operation {
  readonly operationId?: string;
  readonly requestBody?: unknown;
}

const PREFIX = /^\/api\/v\d+\//;

/** The readable call of an operation of the OpenAPI document. */
export function readableCall(method: string, path: string, operation: Operation): ReadableCall {
  const { operationId = '', requestBody } = operation;
  const [verb = '', ...rest] = wordsOf(operationId);
  const segments = path
    .replace(PREFIX, '/')
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{'));
  const named = segments.map((segment) => ({ segment, words: leadingWords(rest, segment) }));
  const { segment, words } = named.find(({ words }) => words > 0) ?? { segment: segments[0] ?? '', words: 0 };
  const isRead = method.toUpperCase() === 'GET';
  return {
    group: camel(wordsOf(segment)),
    name: camel([verb, ...rest.slice(words)]),
    method: method.toUpperCase(),
    path,
    parameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => camel(wordsOf(name))),
    sends: isRead ? 'query' : requestBody === undefined ? undefined : 'body',
    isList: verb === 'list',
  };
}

/** The feed of events is `custodia.events()`, by hand in `src/events.ts`: it is read by cursor, and has no last page. */
export const FEED = '/api/v1/events';

/** Batches are `custodia.batch()`, by hand in `src/batch.ts`: which of them can be sent again depends on their operations. */
export const BATCH = '/api/v1/batch';

/** Paths whose operations have no name that is generated. */
const BY_HAND: readonly string[] = [FEED, BATCH];

/**
 * The readable calls of all operations of a document but those, in its order.
 * @throws Error where two operations have one name, or a group has the name of a member that the client has anyway
 */
export function readableCalls({ paths }: { readonly paths: object }): ReadableCall[] {
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>)
      .filter(([, operation]) => operation.operationId !== undefined && !BY_HAND.includes(path))
      .map(([method, operation]) => readableCall(method, path, operation)),
  );
  const byName = Map.groupBy(calls, ({ group, name }) => `${group}.${name}`);
  for (const [name, [call, other]] of byName) {
    const isReserved = RESERVED.has(call?.group ?? '');
    if (other === undefined && !isReserved) continue;
    const places = [call?.path, other?.path].filter(Boolean).join(' or ');
    throw new Error(`custodia.${name} is taken. Choose another ${isReserved ? 'path' : 'operationId'} for ${places}`);
  }
  return calls;
}

const RESERVED: ReadonlySet<string> = new Set([
  ...['pages', 'records', 'watch', 'events', 'batch', 'importRecords', 'sendWebhook', 'then'],
]);

/** How many of the words name a segment, in the plural or the singular: of `TicketMessages` the first one names `tickets`. */
function leadingWords(words: readonly string[], segment: string): number {
  const plural = wordsOf(segment).join('');
  const forms = [plural, plural.replace(/s$/, ''), plural.replace(/es$/, ''), plural.replace(/ies$/, 'y')];
  const lengths = words.map((_, index) => index + 1);
  return lengths.findLast((length) => forms.includes(words.slice(0, length).join(''))) ?? 0;
}

/** In lower case: of `serviceActions`, `service-actions` and `service_actions` alike. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

const camel = (words: readonly string[]): string =>
  words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
