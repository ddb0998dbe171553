import {
  anyOf,
  item,
  nul,
  number,
  QueryCommand,
  string,
  Entity as ToolboxEntity,
  Table as ToolboxTable,
} from 'dynamodb-toolbox';
import { Entity as ElectroEntity } from 'electrodb';
import type { Table } from '../../shared/table/client.ts';
import { listIndex } from '../../shared/table/schema.ts';
import { PAGE_SIZE, type Way } from './ways.ts';

/** The pagination that the two libraries offer, over the same items: page after page, each with the cursor of the one before. */

const { name: index, partition, sort } = listIndex(1);

/** ElectroDB: `go({ cursor })`. It answers no total. */
export function electro(table: Table): Way {
  const text = { type: 'string' } as const;
  const entity = new ElectroEntity(
    {
      model: { service: 'bench', entity: 'job', version: '1' },
      attributes: {
        PK: text,
        SK: text,
        L1: text,
        N1: { type: 'number' },
        id: text,
        state: text,
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
          sk: { field: sort, composite: ['N1'] },
        },
      },
    },
    { client: table.client, table: table.name },
  );
  return {
    name: 'ElectroDB',
    total: false,
    read: async (list, page) => {
      let cursor: string | null = null;
      let ids: string[] = [];
      for (let current = 1; current <= page && (current === 1 || cursor !== null); current++) {
        const options = { cursor, limit: PAGE_SIZE, order: 'desc', ignoreOwnership: true } as const;
        const answer: { data: { id?: string | undefined }[]; cursor: string | null } =
          list.index === undefined
            ? await entity.query.all({ PK: list.partition }).go(options)
            : await entity.query.some({ L1: list.partition }).go(options);
        ids = answer.data.map(({ id }) => String(id));
        cursor = answer.cursor;
      }
      return { ids };
    },
  };
}

/** dynamodb-toolbox: `exclusiveStartKey`. It answers no total. */
export function toolbox(table: Table): Way {
  const toolboxTable = new ToolboxTable({
    documentClient: table.client,
    name: table.name,
    partitionKey: { name: 'PK', type: 'string' },
    sortKey: { name: 'SK', type: 'string' },
    indexes: {
      [index]: {
        type: 'global',
        partitionKey: { name: partition, type: 'string' },
        sortKey: { name: sort, type: 'number' },
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
      N1: number().optional(),
      id: string(),
      state: anyOf(string(), nul()),
      title: string(),
      created_at: string(),
      notes: string(),
    }),
    entityAttribute: false,
    timestamps: false,
  });
  return {
    name: 'dynamodb-toolbox',
    total: false,
    read: async (list, page) => {
      let exclusiveStartKey: Record<string, unknown> | undefined;
      let ids: string[] = [];
      for (let current = 1; current <= page && (current === 1 || exclusiveStartKey !== undefined); current++) {
        const query = list.index === undefined ? { partition: list.partition } : { index, partition: list.partition };
        const answer = await toolboxTable
          .build(QueryCommand)
          .entities(entity)
          .query(query)
          .options({
            limit: PAGE_SIZE,
            reverse: true,
            ...(exclusiveStartKey === undefined ? {} : { exclusiveStartKey }),
          })
          .send();
        ids = (answer.Items ?? []).map(({ id }) => id);
        exclusiveStartKey = answer.LastEvaluatedKey;
      }
      return { ids };
    },
  };
}
