import type { Call } from './recorder.ts';

/**
 * Describes the calls of a round trip in a few words, with `…` for what differs between requests: `get `A`, `B`; number
 * `C``.
 */
export const wordsOf = (calls: readonly Call[]): string => grouped(calls.flatMap(partsOf)).join('; ');

/** What is done to what. */
type Part = readonly [verb: string, what: string];

type Item = Readonly<Record<string, unknown>>;
type WriteItem = Readonly<Record<string, { readonly Key?: Item; readonly Item?: Item } | undefined>>;

function partsOf({ operation, input }: Call): Part[] {
  const key = (input.Key ?? input.Item ?? {}) as Item;
  switch (operation) {
    case 'Query':
      return [['query', keyWords({ PK: partitionOf(input as unknown as Query) })]];
    case 'BatchGetItem':
      return keysIn(input.RequestItems as BatchGet).map((each): Part => ['batch get', keyWords(each)]);
    case 'BatchWriteItem':
      return [['batch', writesIn(Object.values(input.RequestItems as BatchWrite).flat())]];
    case 'TransactWriteItems':
      return [['transact', writesIn(input.TransactItems as WriteItem[])]];
    default: {
      // Every request reads whether its tenant is suspended.
      if (String(key.PK).startsWith('SUSPENDED#')) return [];
      const verb = operation.replace('Item', '').toLowerCase();
      return [[key.SK === 'HEAD' ? (COUNTER_VERBS[verb] ?? verb) : verb, keyWords(key)]];
    }
  }
}

/** What is done with a counter item: reading it, and allocating a number by it. */
const COUNTER_VERBS: Readonly<Record<string, string>> = { get: 'counter', update: 'number' };

interface Query {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Item;
}

type BatchGet = Readonly<Record<string, { readonly Keys: readonly Item[] }>>;
type BatchWrite = Readonly<Record<string, readonly WriteItem[]>>;

const keysIn = (requests: BatchGet): readonly Item[] => Object.values(requests).flatMap(({ Keys }) => Keys);

const partitionOf = ({ KeyConditionExpression, ExpressionAttributeValues }: Query): unknown =>
  ExpressionAttributeValues[/= (:\w+)/.exec(KeyConditionExpression)?.[1] ?? ''];

/** `put `A`, update `B`, 2 × `C``. */
const writesIn = (items: readonly WriteItem[]): string =>
  grouped(
    items.map((item): Part => {
      const [[kind, write] = []] = Object.entries(item);
      return [VERBS[kind ?? ''] ?? String(kind), keyWords(write?.Key ?? write?.Item ?? {})];
    }),
  ).join(', ');

const VERBS: Readonly<Record<string, string>> = {
  Put: 'put',
  PutRequest: 'put',
  Update: 'update',
  Delete: 'delete',
  DeleteRequest: 'delete',
  ConditionCheck: 'check',
};

/** Each verb once, with all that it is done to. */
const grouped = (parts: readonly Part[]): string[] =>
  Array.from(
    Map.groupBy(parts.toSorted(), ([verb]) => verb),
    ([verb, group]) => `${verb} ${tallied(group.map(([, what]) => what))}`,
  );

/** The partition; of a counter item the list that it counts, of a set its filter. */
function keyWords({ PK, SK }: Item): string {
  const partition = general(String(PK)).replace('#filter#SET', '#filter');
  return `\`${SK === 'HEAD' ? partition.replace(/#SET$/, '') : partition}\``;
}

const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

/** A partition key without the tenant's prefix and without what differs from one record or filter to the next. */
export const general = (key: string): string =>
  key
    .replace(/^ORG#[^#]+#/, (prefix) => (prefix === 'ORG#PLATFORM#' ? 'PLATFORM: ' : ''))
    .replace(UUID, '…')
    .replace(/#\w+=[^#]+/, '#filter')
    .replace(/#WORDS#.$/, '#WORDS')
    .replace(/^((?:APP|LOGIN_FAILURE)#).+/, '$1…');

/** `a, a, b` is `2 × a, b`. */
export function tallied(parts: readonly string[]): string {
  return Array.from(
    Map.groupBy(parts, (part) => part),
    ([part, { length }]) => (length === 1 ? part : `${length} × ${part}`),
  ).join(', ');
}
