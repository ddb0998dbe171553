import type { Call } from './recorder.ts';

/** Describes a call of the table in a few words, with `…` for what differs between requests. */
export function keyWordsOf({ operation, input }: Call): string {
  switch (operation) {
    case 'Query':
      return queryWords(input as unknown as Query);
    case 'BatchGetItem':
      return batchWords(input as unknown as BatchGet);
    case 'BatchWriteItem':
      return `${operation}: ${tallied(
        Object.values(input.RequestItems as BatchWrite)
          .flat()
          .map(writeWords)
          .sort(),
      )}`;
    case 'TransactWriteItems':
      return `${operation}: ${tallied((input.TransactItems as TransactItem[]).map(transactWords).sort())}`;
    default:
      return `${operation} ${keyWords((input.Key ?? input.Item) as Item)}`;
  }
}

type Item = Readonly<Record<string, unknown>>;
type TransactItem = Readonly<Record<string, { readonly Key?: Item; readonly Item?: Item } | undefined>>;

interface Query {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Item;
}

interface BatchGet {
  readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly Item[] }>>;
}

type BatchWrite = Readonly<Record<string, readonly TransactItem[]>>;

/** `PutRequest` is `Put`. */
const writeWords = (request: TransactItem): string => transactWords(request).replace('Request', '');

function batchWords({ RequestItems }: BatchGet): string {
  const [{ Keys } = { Keys: [] }] = Object.values(RequestItems);
  return `BatchGetItem ${tallied(Keys.map(keyWords))}`;
}

function queryWords(query: Query): string {
  const { KeyConditionExpression: condition, ExpressionAttributeValues: values } = query;
  const partition = values[/= (:\w+)/.exec(condition)?.[1] ?? ''];
  return `Query \`${general(String(partition))}\`${rangeWords(condition)}`;
}

function rangeWords(condition: string): string {
  if (condition.includes('BETWEEN')) return ' from … to …';
  return condition.includes('begins_with') ? ' beginning with …' : '';
}

function transactWords(item: TransactItem): string {
  const [[kind, write] = []] = Object.entries(item);
  return `${kind} ${keyWords(write?.Key ?? write?.Item ?? {})}`;
}

/** The partition, and the sort key where it is a word of ours and no id. */
function keyWords({ PK, SK }: Item): string {
  const sort = /^(HEAD|B#)/.exec(String(SK))?.[1];
  return `\`${general(String(PK))}${sort === undefined ? '' : ` / ${sort.replace('#', '#…')}`}\``;
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
