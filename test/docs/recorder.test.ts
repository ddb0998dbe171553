import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Table } from '@custodia/counted-lists';
import { leanDocumentClient } from '@custodia/lean-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { Recorder } from '../../generate/data-model/recorder.ts';

/** Responds at once, but to the slow one last of all: when nothing else happens any more. */
class Slow extends NodeHttpHandler {
  override async handle(request: Parameters<NodeHttpHandler['handle']>[0]) {
    const isSlow = String(Buffer.from(request.body)).includes('slow');
    for (let turns = 0; isSlow && turns < 50; turns++) await turn();
    return { response: new HttpResponse({ statusCode: 200, headers: {}, body: Readable.from(['{}']) }) };
  }
}

it('counts what follows a slow call with what follows a fast one', async () => {
  const requestHandler = new Slow();
  const table = new Table('t', (readNumber) =>
    leanDocumentClient({ ...localConnection(), requestHandler }, readNumber),
  );
  const recorder = new Recorder(table);
  const get = (PK: string) => table.client.send(new GetCommand({ TableName: 't', Key: { PK, SK: '' } }));
  const calls = await recorder.record(() =>
    Promise.all([
      get('fast').then(() => get('after fast')),
      get('slow').then(async () => {
        await get('after it');
        await get('last');
      }),
    ]),
  );
  const roundTrips = calls.map(({ input, roundTrip }) => [(input.Key as { PK: string }).PK, roundTrip]);
  expect(Object.fromEntries(roundTrips)).toEqual({ fast: 1, slow: 1, 'after fast': 2, 'after it': 2, last: 3 });
});
