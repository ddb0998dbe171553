import type { Table } from '@custodia/counted-lists';
import { item, QueryCommand, string, Entity as ToolboxEntity, Table as ToolboxTable } from 'dynamodb-toolbox';
import { Entity as ElectroEntity } from 'electrodb';
import type { BenchList } from './lists.ts';
import { peerIndex } from './table.ts';
import { COMPARED_PAGE_SIZE, type Way } from './ways.ts';

/**
 * The pagination of the two libraries, over the same items: page after page, each with the previous page's cursor; or
 * in bulk, where each query reads as much as DynamoDB returns.
 */

const { name: index, partition, sort } = peerIndex();

interface Step {
  readonly ids: readonly string[];
  /** The cursor of the next step; undefined at the end of the list. */
  readonly next: unknown;
}

/** Goes to a page step by step: `step` reads up to `limit` records from a cursor on. */
async function goTo(page: number, inBulk: boolean, step: (cursor: unknown, limit: number) => Promise<Step>) {
  const skip = (page - 1) * COMPARED_PAGE_SIZE;
  let next: unknown;
  for (let seen = 0; seen < skip; ) {
    const read = await step(next, inBulk ? skip - seen : COMPARED_PAGE_SIZE);
    seen += read.ids.length;
    next = read.next;
    if (next === undefined) return { ids: [] };
  }
  const { ids } = await step(next, COMPARED_PAGE_SIZE);
  return { ids };
}

const partitionOf = ({ partition: own }: BenchList): string => own ?? '';

const nameOf = (library: string, inBulk: boolean): string => `${library}${inBulk ? ', in bulk' : ''}`;

/** ElectroDB: `go({ cursor })`. It returns no total. */
export function electro(table: Table, inBulk: boolean): Way {
  const text = { type: 'string' } as const;
  const entity = new ElectroEntity(
    {
      model: { service: 'bench', entity: 'job', version: '1' },
      attributes: {
        PK: text,
        SK: text,
        L1: text,
        id: text,
        title: text,
        created_at: text,
        notes: text,
      },
      indexes: {
        all: {
          pk: { field: 'PK', composite: ['PK'], casing: 'none' },
          sk: { field: 'SK', composite: ['SK'], casing: 'none' },
        },
        some: {
          index,
          pk: { field: partition, composite: ['L1'], casing: 'none' },
          sk: { field: sort, composite: ['SK'], casing: 'none' },
        },
      },
    },
    { client: table.client, table: table.name },
  );
  return {
    name: nameOf('ElectroDB', inBulk),
    total: false,
    read: (list, page) =>
      goTo(page, inBulk, async (cursor, limit) => {
        const options = { cursor: cursor as string | null, limit, order: 'desc', ignoreOwnership: true } as const;
        const response: { data: { id?: string | undefined }[]; cursor: string | null } =
          list.index === undefined
            ? await entity.query.all({ PK: partitionOf(list) }).go(options)
            : await entity.query.some({ L1: partitionOf(list) }).go(options);
        return { ids: response.data.map(({ id }) => String(id)), next: response.cursor ?? undefined };
      }),
  };
}

/** dynamodb-toolbox: `exclusiveStartKey`. It returns no total. */
export function toolbox(table: Table, inBulk: boolean): Way {
  const toolboxTable = new ToolboxTable({
    documentClient: table.client,
    name: table.name,
    partitionKey: { name: 'PK', type: 'string' },
    sortKey: { name: 'SK', type: 'string' },
    indexes: {
      [index]: {
        type: 'global',
        partitionKey: { name: partition, type: 'string' },
        sortKey: { name: sort, type: 'string' },
      },
    },
  });
  const entity = new ToolboxEntity({
    name: 'JOB',
    table: toolboxTable,
    schema: item({
      PK: string().key(),
      SK: string().key(),
      L1: string().optional(),
      id: string(),
      title: string(),
      created_at: string(),
      notes: string(),
    }),
    entityAttribute: false,
    timestamps: false,
  });
  return {
    name: nameOf('dynamodb-toolbox', inBulk),
    total: false,
    read: (list, page) =>
      goTo(page, inBulk, async (cursor, limit) => {
        const own = { partition: partitionOf(list) };
        const query = list.index === undefined ? own : { index, ...own };
        const response = await toolboxTable
          .build(QueryCommand)
          .entities(entity)
          .query(query)
          .options({
            limit,
            reverse: true,
            ...(cursor === undefined ? {} : { exclusiveStartKey: cursor as Record<string, unknown> }),
          })
          .send();
        return { ids: (response.Items ?? []).map(({ id }) => id), next: response.LastEvaluatedKey };
      }),
  };
}
