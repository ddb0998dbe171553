import type { EngineName } from '../../local/dynamodb/engine.ts';
import { createTable, localDynamoDbClient, startDynamoDb } from '../../local/dynamodb/index.ts';
import type { FreshTable } from '../../test/support/dynamodb.ts';
import { type Bound, holds, lineOf } from '../bounds.ts';
import { writePerformance } from '../docs.ts';
import { ProgressReporter } from '../progress-reporter.ts';
import { background, backgroundBounds } from './background.ts';
import { flood, floodBounds } from './flood.ts';
import { STAGES, slowBounds, slowInAllStages, slowReceivers } from './slow-receivers.ts';
import { neverBounds, SIZES, type Stressed, stress, stressBounds } from './stress.ts';
import { throughput, throughputBounds, throughputTable } from './throughput.ts';

export interface DeliveriesOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly engine: EngineName;
  readonly seed: number;
}

/** What deliveries promise (`docs/decisions/0201-events.md`), and what they cost. @returns whether every bound holds */
export async function benchDeliveries({ small, writeDocs, engine, seed }: DeliveriesOptions): Promise<boolean> {
  const reporter = new ProgressReporter();
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine });
  try {
    const bounds: Bound[] = [];
    const stressed: Stressed[] = [];
    for (let run = seed; run < seed + (small ? 2 : 3); run++)
      for (const wakeUps of ['most', 'none'] as const) {
        reporter.report(`stress, seed ${run}, wake-ups: ${wakeUps}`);
        stressed.push(await stress(await tableAt(dynamoDb.endpoint), run, SIZES[small ? 'small' : 'full'], wakeUps));
      }
    for (const each of stressed) reporter.print(`${each.title}: ${JSON.stringify(each.counts)}`);
    bounds.push(...stressed.flatMap(stressBounds), ...neverBounds(stressed));

    reporter.report('a flood');
    bounds.push(...floodBounds(await flood(await tableAt(dynamoDb.endpoint), small ? 1_000 : 10_000)));

    reporter.report('slow receivers');
    bounds.push(...(await slowInAllStages(() => tableAt(dynamoDb.endpoint), small)));

    reporter.report('a background without end');
    bounds.push(...backgroundBounds(await background(await tableAt(dynamoDb.endpoint), 300)));

    reporter.report('throughput');
    const measured = await throughput(await tableAt(dynamoDb.endpoint), small ? 500 : 5_000);
    const table = throughputTable(measured);
    reporter.print(`${table}\n`);
    // DynamoDB Local counts too few units for transactions.
    if (engine === 'dynoxide') bounds.push(...throughputBounds(measured));
    if (writeDocs) await writePerformance('deliveries', table);
    for (const bound of bounds) reporter.print(lineOf(bound));
    return bounds.every(holds);
  } finally {
    reporter.stop();
    await dynamoDb.stop();
  }
}

/** A few events, in each way. @throws Error where a bound of the flood is exceeded */
export async function checkDeliveries(endpoint: string): Promise<void> {
  await throughput(await tableAt(endpoint), 40);
  const bounds = [
    ...floodBounds(await flood(await tableAt(endpoint), 300)),
    ...slowBounds(await slowReceivers(await tableAt(endpoint), STAGES[0], 1, 10)),
    ...backgroundBounds(await background(await tableAt(endpoint), 60)),
  ];
  const [exceeded] = bounds.filter((bound) => !holds(bound));
  if (exceeded !== undefined) throw new Error(lineOf(exceeded));
}

let tables = 0;

async function tableAt(endpoint: string): Promise<FreshTable> {
  const client = localDynamoDbClient(endpoint);
  const tableName = `deliveries-${++tables}`;
  await createTable(client, tableName);
  return { client, tableName, endpoint };
}
