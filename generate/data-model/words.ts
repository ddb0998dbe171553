import type { Call } from './recorder.ts';
import { type Touched, touchedBy } from './touched.ts';

/**
 * Describes the calls of a round trip in a few words, with `…` for what differs between requests: `get `A`, `B`; number
 * `C``.
 */
export const wordsOf = (calls: readonly Call[]): string => grouped(calls.flatMap(partsOf)).join('; ');

/** What is done to what. */
type Part = readonly [verb: string, what: string];

function partsOf(call: Call): readonly Part[] {
  const touched = touchedBy(call);
  const parts = touched.map(({ verb, key }): Part => [verb, keyWords(key)]);
  switch (call.operation) {
    case 'BatchGetItem':
      return parts.map(([, what]): Part => ['batch get', what]);
    case 'BatchWriteItem':
      return [['batch', grouped(parts).join(', ')]];
    case 'TransactWriteItems':
      return [['transact', grouped(parts).join(', ')]];
    default:
      return (
        touched
          // Every request reads whether its tenant is suspended.
          .filter(({ key }) => !key.PK.startsWith('SUSPENDED#'))
          .map(({ verb, key }): Part => [key.SK === COUNTER ? (COUNTER_VERBS[verb] ?? verb) : verb, keyWords(key)])
      );
  }
}

/** The sort key of a counter item. */
const COUNTER = 'HEAD';
/** What is done with a counter item: reading it, and allocating a number by it. */
const COUNTER_VERBS: Readonly<Record<string, string>> = { get: 'counter', update: 'number' };

/** Each verb once, with all that it is done to. */
const grouped = (parts: readonly Part[]): string[] =>
  Array.from(
    Map.groupBy(parts.toSorted(), ([verb]) => verb),
    ([verb, group]) => `${verb} ${tallied(group.map(([, what]) => what))}`,
  );

/** The partition; of a counter item the list that it counts, of a set its filter. */
function keyWords({ PK, SK }: Touched['key']): string {
  const partition = general(PK).replace('#filter#SET', '#filter');
  return `\`${SK === COUNTER ? partition.replace(/#SET$/, '') : partition}\``;
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
