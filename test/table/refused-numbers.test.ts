import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ids, schema, storedSets, type Table } from '@custodia/counted-lists';
import { counterKeyOf } from '@custodia/counted-lists/maintenance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDynamoDb } from '#local-dynamodb';
import { RequestSession } from '#table';
import { costOf } from '../../generate/data-model/play.ts';
import { Recorder } from '../../generate/data-model/recorder.ts';
import type { EmbeddedDynamoDb } from '../../local/dynamodb/embedded.ts';
import { systemClock } from '../../shared/clock.ts';
import { asked } from '../support/asked.ts';
import { itemsWith } from '../support/bits.ts';
import { Conflicts } from '../support/conflicts.ts';
import { type Job, jobsBy, jobsOf, jobTable, newJob } from '../support/jobs.ts';
import { writeItems } from '../support/write-items.ts';

/** What pages read across the numbers of refused creates. DynamoDB Local counts as well, but the other engine starts sooner. */
const HAS_ENGINE = process.platform === 'linux' && process.arch === 'x64';

const REFUSED = 4_000;
const BEFORE = 13;
const RECORDS = 25;

describe.skipIf(!HAS_ENGINE).each([{ leave: 'tombstones' }, { leave: 'no tombstones' }])(
  'a page across 4,000 refused creates that left $leave',
  ({ leave }) => {
    const kind = jobsBy(0);
    const org = leave.replace(' ', '-');
    const partition = `ORG#${org}#JOB`;
    let dynamoDb: EmbeddedDynamoDb;
    let table: Table;
    let recorder: Recorder;
    const created: Job[] = [];
    const open = () => new RequestSession(table, systemClock, Date.now() + 60_000);
    beforeAll(async () => {
      dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine: 'dynoxide' });
      table = await jobTable(dynamoDb.endpoint, new Conflicts({ milliseconds: 0 }));
      await create(BEFORE);
      await refuse();
      await create(RECORDS - BEFORE);
      recorder = new Recorder(table);
    });
    afterAll(() => dynamoDb.stop());

    async function create(count: number): Promise<void> {
      for (let index = 0; index < count; index++) {
        const session = open();
        // Nearly 1 KB.
        const { record } = await jobsOf(org, session, kind).create({
          fields: { ...newJob(0), notes: 'x'.repeat(700) },
        });
        await session.commit();
        created.push(record);
      }
    }

    /** As so many releases leave a list, in fewer calls. */
    async function refuse(): Promise<void> {
      const numbers = Array.from({ length: REFUSED }, (_, index) => BEFORE + index);
      await writeItems(
        table,
        itemsWith(numbers).map((item) => ({ PK: storedSets.partitionOf(partition), ...item })),
      );
      const tombstone = { [schema.TOMBSTONE]: true, AT: Date.now() };
      const tombstones = numbers.map((number) => ({ PK: partition, SK: ids.sortKeyOf(number), ...tombstone }));
      if (leave === 'tombstones') await writeItems(table, tombstones);
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: { ...counterKeyOf(partition) },
          UpdateExpression: 'ADD #next :count',
          ExpressionAttributeNames: { '#next': 'NEXT' },
          ExpressionAttributeValues: { ':count': REFUSED },
        }),
      );
    }

    it.each([
      { page: 1, page_size: 25, sort: '-created_at' },
      { page: 1, page_size: 25, sort: 'created_at' },
      { page: 2, page_size: 10, sort: '-created_at' },
      { page: 2, page_size: 10, sort: 'created_at' },
    ] as const)('reads ten units at most, in two round trips: %o', async ({ page, page_size, sort }) => {
      const ids: string[] = [];
      const calls = await recorder.record(async () => {
        const { records, total } = await jobsOf(org, open(), kind).page(asked({ page, page_size, sort }));
        expect(total).toBe(RECORDS);
        ids.push(...records.map(({ record }) => record.id));
      });
      const listed = created.map(({ id }) => id);
      if (sort === '-created_at') listed.reverse();
      expect(ids).toEqual(listed.slice((page - 1) * page_size, page * page_size));
      const { readUnits, roundTrips } = costOf(calls);
      expect(readUnits).toBeLessThanOrEqual(10);
      expect(roundTrips).toBeLessThanOrEqual(2);
    });
  },
);
