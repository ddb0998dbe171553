import { randomUUID } from 'node:crypto';
import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { retry, type Table } from '@custodia/counted-lists';
import { upTo, withConcurrency } from '../../local/pool.ts';
import { systemClock } from '../../shared/clock.ts';
import { RequestSession } from '../../shared/table/index.ts';
import { recordsPartition, type TenantId } from '../../shared/table/keys.ts';
import type { Conflicts } from '../../test/support/conflicts.ts';
import type { Meter } from './meter.ts';
import { FIELDS, jobsBy, jobsOf, newJob } from './records.ts';
import { peerIndex } from './table.ts';

/** Indexes for the combinations of four fields. A DynamoDB table has at most 20 by default. */
export const COMBINATIONS = 15;

export const SERIES = {
  counted: 'counted list',
  combinations: 'an index per combination',
  fields: 'an index per field',
} as const;

/** The cost of a create, by the number of filter fields. */
export interface Writing {
  readonly series: (typeof SERIES)[keyof typeof SERIES];
  readonly fields: number;
  readonly writeUnits: number;
}

/** Creates a record for each number of filter fields, in every possible way. */
export async function measureWrites(table: Table, meter: Meter): Promise<Writing[]> {
  const writings: Writing[] = [];
  for (let fields = 0; fields <= FIELDS.length; fields++) {
    const combinations = 2 ** fields - 1;
    const ways = [
      { series: SERIES.counted, create: countedCreate(table, fields) },
      { series: SERIES.fields, create: putIn(table, fields) },
      ...(combinations > COMBINATIONS ? [] : [{ series: SERIES.combinations, create: putIn(table, combinations) }]),
    ];
    for (const { series, create } of ways) {
      const { cost } = await meter.measure<unknown>(create);
      writings.push({ series, fields, writeUnits: cost.writeUnits });
    }
  }
  return writings;
}

export interface Creating {
  readonly way: string;
  readonly parallel: number;
  readonly perSecond: number;
  readonly roundTrips: number;
  readonly writeUnits: number;
  /** Transactions sent for each that succeeded; undefined where there are none. */
  readonly sends: number | undefined;
}

interface CreateWay {
  readonly name: string;
  readonly create: () => Promise<unknown>;
}

const PARALLEL = [1, 16, 64];

/**
 * Creates records in every way, sequentially and concurrently, in one list each, where transactions conflict as in
 * DynamoDB. `report` gets the progress.
 */
export async function measureCreates(
  table: Table,
  meter: Meter,
  conflicts: Conflicts,
  count: number,
  report: (text: string) => void,
): Promise<Creating[]> {
  const creatings: Creating[] = [];
  for (const way of waysOf(table)) {
    const { cost } = await meter.measure(way.create);
    for (const parallel of PARALLEL) {
      report(`creates: ${way.name}, ${parallel} at once`);
      conflicts.reset();
      const start = performance.now();
      await withConcurrency(parallel, upTo(count), way.create);
      creatings.push({
        way: way.name,
        parallel,
        perSecond: count / ((performance.now() - start) / 1_000),
        roundTrips: cost.roundTrips,
        writeUnits: cost.writeUnits,
        sends: conflicts.transactions === 0 ? undefined : conflicts.transactions / count,
      });
    }
  }
  return creatings;
}

const PATIENCE_MS = 60_000;

/** A create by the service's own code, in a list with this number of filters. */
const countedCreate = (table: Table, fields: number) => async (): Promise<void> => {
  const session = new RequestSession(table, systemClock, Date.now() + PATIENCE_MS);
  await jobsOf(`creates-${fields}`, session, jobsBy(fields)).create({ fields: newJob(fields) });
  await session.commit();
};

const plain = (table: Table, org: string, indexes: number) => {
  const id = randomUUID();
  const lists = Array.from({ length: indexes }, (_, index) => [peerIndex(index + 1).partition, `${org}#list${index}`]);
  return {
    TableName: table.name,
    Item: {
      PK: recordsPartition(org as TenantId, 'JOB'),
      SK: id,
      ...newJob(0),
      id,
      ...(Object.fromEntries(lists) as object),
    },
  };
};

/** A plain put of a record that is in this number of indexes. */
const putIn = (table: Table, indexes: number) => () =>
  table.client.send(new PutCommand(plain(table, `put-${indexes}`, indexes)));

function waysOf(table: Table): CreateWay[] {
  const counter = {
    TableName: table.name,
    Key: { PK: 'ORG#counter#JOB#COUNT', SK: 'HEAD' },
    UpdateExpression: 'ADD #count :one',
    ExpressionAttributeNames: { '#count': 'COUNT' },
    ExpressionAttributeValues: { ':one': 1 },
  };
  const putAndCount = () =>
    retry(
      () =>
        table.client.send(
          new TransactWriteCommand({ TransactItems: [{ Put: plain(table, 'counter', 0) }, { Update: counter }] }),
        ),
      { clock: systemClock, deadline: Date.now() + PATIENCE_MS },
    );
  return [
    { name: 'plain put', create: putIn(table, 0) },
    { name: 'put, an index per combination of 4 fields', create: putIn(table, COMBINATIONS) },
    { name: 'put and counter in a transaction', create: putAndCount },
    ...[0, 1, 4, 11].map((fields) => ({
      name: `counted list, ${fields} filter${fields === 1 ? '' : 's'}`,
      create: countedCreate(table, fields),
    })),
  ];
}
