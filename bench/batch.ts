import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { localConnection } from '#local-dynamodb';
import { batch } from '../functions/batch/contract.ts';
import { batchOperations } from '../functions/batch/operations.ts';
import { tickets } from '../functions/tickets/contract.ts';
import { ticketOperations } from '../functions/tickets/operations.ts';
import { domains } from '../functions/webhooks/domains.ts';
import { ensureLocalKeys } from '../shared/auth/index.ts';
import { type LambdaHandler, pipeline } from '../shared/http/pipeline.ts';
import { configureTable } from '../shared/table/index.ts';
import { authorizerContext } from '../test/support/caller.ts';
import { bodyOf } from '../test/support/faults.ts';
import { keyFile } from '../test/support/key-file.ts';
import { lambdaContext } from '../test/support/lambda-context.ts';
import { proxyEventOf } from '../test/support/proxy-event.ts';
import { type Bound, boundText, holds } from './bounds.ts';
import { cpuOf, spreadOf, spreadText } from './statistics.ts';

/** What an operation of a batch costs, as a part of the same request alone. */
const AT_MOST = 0.65;

const OPERATIONS = 200;
/** Rounds that do not count, and that do. */
const ROUNDS = { warmUp: 15, measured: 25 } as const;

const CALLER = authorizerContext('6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d', { secret_id: 's' });

/** As many words as the subjects of people have. */
const TICKET = {
  subject: 'Printer in kitchen prints every receipt twice since',
  description: 'It began after the update of Monday.',
  source: 'web',
  contact_id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
};

/** Compares creations of tickets in a batch with the same ones alone, in turns. @returns whether the bound holds */
export async function benchBatch(): Promise<boolean> {
  const table = new StubTable();
  Object.assign(process.env, { TABLE_NAME: 'stub', KEY_FILE: keyFile(), RATE_LIMIT: '100000000' });
  await ensureLocalKeys(keyFile());
  configureTable({ ...localConnection(), requestHandler: table });
  const ways = {
    batch: sender(pipeline(batch, batchOperations(domains)), eventsOfBatch),
    alone: sender(pipeline(tickets, ticketOperations), eventsAlone),
  };
  const costs = { batch: [] as number[], alone: [] as number[] };
  const calls = { batch: 0, alone: 0 };
  for (let round = -ROUNDS.warmUp; round < ROUNDS.measured; round++) {
    for (const way of ['batch', 'alone'] as const) {
      const before = table.calls;
      const cost = await ways[way](round);
      if (round >= 0) costs[way].push(cost);
      calls[way] = table.calls - before;
    }
  }
  for (const way of ['batch', 'alone'] as const)
    console.log(
      `${way}: ${spreadText(spreadOf(costs[way]))} ms of CPU time for a creation, ${calls[way]} calls for all`,
    );
  const measured = spreadOf(costs.batch.map((cost, round) => cost / (costs.alone[round] ?? Number.NaN)));
  const bound: Bound = { claim: 'a creation in a batch, by its CPU time alone', measured, atMost: AT_MOST };
  console.log(boundText(bound));
  return holds(bound);
}

type Events = (keys: readonly string[]) => readonly ReturnType<typeof proxyEventOf>[];

const eventsOfBatch: Events = (keys) => {
  const operations = keys.map((key) => ({ key, operation: 'createTicket', body: TICKET }));
  const route = batch.routes.runBatch;
  return [proxyEventOf({ route, path: route.path, body: { operations }, caller: CALLER })];
};

const eventsAlone: Events = (keys) => {
  const route = tickets.routes.createTicket;
  return keys.map((key) =>
    proxyEventOf({ route, path: route.path, body: TICKET, headers: { 'Idempotency-Key': key }, caller: CALLER }),
  );
};

/** Sends requests under new keys. The result is the CPU time of a creation, in milliseconds. */
const sender = (handler: LambdaHandler, eventsOf: Events) => async (round: number) => {
  const events = eventsOf(Array.from({ length: OPERATIONS }, (_, index) => `${round}-${index}`));
  const responses: APIGatewayProxyResult[] = [];
  const cpu = await cpuOf(async () => {
    for (const event of events) responses.push(await handler(event, lambdaContext(29_000)));
  });
  const refused = responses.find(({ statusCode }) => statusCode > 201);
  if (refused !== undefined) throw new Error(`answered ${refused.statusCode} ${refused.body.slice(0, 2_000)}`);
  return cpu / OPERATIONS;
};

interface Sent {
  readonly Key?: { readonly PK: { readonly S: string } };
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly N: string }>>;
}

/** A table for creations, without a socket: it counts numbers, knows the caller's key, and accepts every write. */
class StubTable extends NodeHttpHandler {
  calls = 0;
  readonly #next = new Map<string, number>();

  override async handle(request: Parameters<NodeHttpHandler['handle']>[0]): ReturnType<NodeHttpHandler['handle']> {
    this.calls += 1;
    const operation = request.headers['x-amz-target']?.split('.').at(-1) ?? '';
    const reply = operation === 'TransactWriteItems' ? {} : this.#replyTo(operation, JSON.parse(bodyOf(request)));
    const body = new TextEncoder().encode(JSON.stringify(reply));
    return { response: new HttpResponse({ statusCode: 200, headers: {}, body }) };
  }

  #replyTo(operation: string, { Key, UpdateExpression = '', ExpressionAttributeValues: values }: Sent): object {
    const partition = Key?.PK.S ?? '';
    if (operation === 'GetItem' && partition.endsWith('#CREDENTIALS')) return { Item: CREDENTIALS };
    if (operation !== 'UpdateItem') return {};
    if (partition.endsWith('#BUDGET')) return { Attributes: { FULL_AT: { N: '0' } } };
    const next = (this.#next.get(partition) ?? 0) + Number(values?.[':count']?.N);
    this.#next.set(partition, next);
    const [, mark] = /(\w+) = if_not_exists\(\1, if_not_exists/.exec(UpdateExpression) ?? [];
    const marked = mark === undefined ? {} : { [mark]: { N: '0' } };
    return { Attributes: { NEXT: { N: String(next) }, FILTERS: values?.[':filters'], ...marked } };
  }
}

const CREDENTIALS = {
  integration_id: { S: 'i' },
  status: { S: 'active' },
  permissions: { NULL: true },
  secrets: { L: [{ M: { id: { S: 's' } } }] },
};
