import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Table } from '@custodia/counted-lists';
import { expect, it } from 'vitest';
import { localConnection } from '../../../local/dynamodb/index.ts';
import { freshTable } from '../../../test/support/dynamodb.ts';
import { create, read } from './readme-example.ts';

/** What the README of lists shows works, with AWS's own client. */

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

it('is what the README shows', () => {
  expect(textOf('../README.md')).toContain(`\`\`\`ts\n${textOf('readme-example.ts')}\`\`\`\n`);
});

it('creates tickets, and reads any page of those with some values', async () => {
  const { tableName, endpoint } = await freshTable();
  const table = new Table(tableName, (wrapNumbers) =>
    DynamoDBDocumentClient.from(new DynamoDBClient({ ...localConnection(), endpoint }), {
      unmarshallOptions: { wrapNumbers },
    }),
  );
  const made: string[] = [];
  for (let index = 0; index < 60; index++) {
    const assigned_to = index % 3 === 0 ? 'ana' : null;
    made.unshift(await create(table, { status: index % 2 === 0 ? 'open' : 'closed', assigned_to }));
  }
  const idsOf = async (filter: Parameters<typeof read>[1], page: number) => {
    const { items, total } = await read(table, filter, page);
    return { ids: items.map(({ id }) => id), total };
  };
  expect(await idsOf({}, 3)).toEqual({ ids: made.slice(50), total: 60 });
  const ofAna = { status: ['open'], assigned_to: ['ana'] };
  expect(await idsOf(ofAna, 1)).toEqual({ ids: made.filter((_, index) => (59 - index) % 6 === 0), total: 10 });
});
