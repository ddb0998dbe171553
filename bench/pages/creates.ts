import { randomUUID } from 'node:crypto';
import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { systemClock } from '../../shared/clock.ts';
import type { Table } from '../../shared/table/client.ts';
import { recordsPartition, type TenantId } from '../../shared/table/keys.ts';
import { Session } from '../../shared/table/session.ts';
import type { Meter } from './meter.ts';
import { jobsOf, newJob } from './records.ts';

export interface Creating {
  readonly way: string;
  readonly parallel: number;
  readonly perSecond: number;
  readonly rounds: number;
  readonly writeUnits: number;
  readonly conflicts: number;
}

interface CreateWay {
  readonly name: string;
  readonly create: () => Promise<unknown>;
  /** By AWS's rule, where the emulator reports too little. */
  readonly writeUnits?: number;
}

const PARALLEL = [1, 16, 64];

/** Creates records in every way, one after another and many at once, all in one list each. */
export async function measureCreates(table: Table, meter: Meter, count: number): Promise<Creating[]> {
  const creatings: Creating[] = [];
  for (const way of waysOf(table)) {
    const { cost } = await meter.measure(way.create);
    for (const parallel of PARALLEL) {
      let left = count;
      let conflicts = 0;
      const worker = async (): Promise<void> => {
        while (left-- > 0) conflicts += await untilDone(way.create);
      };
      const { cost: all } = await meter.measure(() => Promise.all(Array.from({ length: parallel }, worker)));
      creatings.push({
        way: way.name,
        parallel,
        perSecond: count / (all.milliseconds / 1_000),
        rounds: cost.rounds,
        writeUnits: way.writeUnits ?? all.writeUnits / count,
        conflicts,
      });
    }
  }
  return creatings;
}

/** @returns how often another was in the way */
async function untilDone(create: () => Promise<unknown>): Promise<number> {
  for (let conflicts = 0; ; conflicts++) {
    try {
      await create();
      return conflicts;
    } catch (error) {
      if (!(error instanceof Error && /Transaction(Canceled|Conflict)/.test(error.name))) throw error;
    }
  }
}

const waysOf = (table: Table): CreateWay[] => {
  const plain = (org: string) => {
    const id = randomUUID();
    return {
      TableName: table.name,
      Item: { PK: recordsPartition(org as TenantId, 'JOB'), SK: id, ...newJob(null), id },
    };
  };
  const counted = (state: string | null) => async () => {
    const session = new Session(table, systemClock, Date.now() + 10_000);
    await jobsOf('creates', session).create(newJob(state));
    await session.commit();
  };
  const counter = {
    TableName: table.name,
    Key: { PK: 'ORG#counter#JOB#COUNT', SK: 'HEAD' },
    UpdateExpression: 'ADD #count :one',
    ExpressionAttributeNames: { '#count': 'COUNT' },
    ExpressionAttributeValues: { ':one': 1 },
  };
  return [
    { name: 'plain put', create: () => table.client.send(new PutCommand(plain('put'))) },
    { name: 'counted list', create: counted(null) },
    { name: 'counted list, one filter', create: counted('open') },
    {
      name: 'put and counter in a transaction',
      create: () =>
        table.client.send(
          new TransactWriteCommand({ TransactItems: [{ Put: plain('counter') }, { Update: counter }] }),
        ),
      // Two items of at most 1 KB, two units each.
      writeUnits: 4,
    },
  ];
};
