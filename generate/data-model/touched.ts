import type { Item } from '@custodia/counted-lists';
import type { Call } from './recorder.ts';

/** What a call does to an item, or to all of a partition. */
export interface Touched {
  /** `get`, `put`, `update`, `delete`, `check`, `query` */
  readonly verb: string;
  /** Of a query, only the partition. */
  readonly key: { readonly PK: string; readonly SK: string };
  /** What is put. */
  readonly item?: Item | undefined;
}

/** What a call does, item by item. */
export function touchedBy({ operation, input }: Call): readonly Touched[] {
  const requests = Object.values((input.RequestItems ?? {}) as Readonly<Record<string, unknown>>);
  switch (operation) {
    case 'Query':
      return [{ verb: 'query', key: { PK: partitionOf(input), SK: '' } }];
    case 'BatchGetItem':
      return (requests as { readonly Keys: readonly Item[] }[]).flatMap(({ Keys }) =>
        Keys.map((Key) => ({ verb: 'get', key: keyIn({ Key }) })),
      );
    case 'BatchWriteItem':
      return (requests as Writes[]).flat().flatMap(writesIn);
    case 'TransactWriteItems':
      return (input.TransactItems as Writes).flatMap(writesIn);
    default:
      return [{ verb: operation.replace('Item', '').toLowerCase(), key: keyIn(input) }];
  }
}

interface Write {
  readonly Key?: Item;
  readonly Item?: Item;
}
type Writes = readonly Readonly<Record<string, Write>>[];

const writesIn = (write: Writes[number]): Touched[] =>
  Object.entries(write).map(([kind, each]) => ({ verb: VERBS[kind] ?? kind, key: keyIn(each), item: each.Item }));

const VERBS: Readonly<Record<string, string>> = {
  Put: 'put',
  PutRequest: 'put',
  Update: 'update',
  Delete: 'delete',
  DeleteRequest: 'delete',
  ConditionCheck: 'check',
};

const keyIn = ({ Key, Item = {} }: Write): Touched['key'] => {
  const { PK, SK } = Key ?? Item;
  return { PK: String(PK), SK: String(SK) };
};

function partitionOf(input: Call['input']): string {
  const [, name = ''] = /= (:\w+)/.exec(String(input.KeyConditionExpression)) ?? [];
  return (input.ExpressionAttributeValues as Readonly<Record<string, string>>)[name] ?? '';
}
