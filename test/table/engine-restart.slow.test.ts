import { randomUUID } from 'node:crypto';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTable, localConnection, startDynamoDb } from '#local-dynamodb';
import { entity, set } from '#table';
import { findEngine } from '../../local/dynamodb/choose.ts';
import { trimmed } from '../../shared/words.ts';
import { asked } from '../support/asked.ts';
import { auditOf } from '../support/audit.ts';
import { freshDirectory } from '../support/directory.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** A real engine that is stopped after it has carried a transaction out and before its reply, and started again on its data. */

const jobs = entity<{ id: string; state: string; code: string }>('JOB', {
  indexes: [set('state')],
  unique: { code: trimmed },
});

/** DynamoDB Local keeps tokens on its disk, dynoxide in its memory: there the transaction is refused when it comes again. */
const engines = [
  { engine: 'java', found: await findEngine('java'), repeated: 200 },
  { engine: 'dynoxide', found: await findEngine('dynoxide'), repeated: 400 },
] as const;

describe.each(engines.filter(({ found }) => !('missing' in found)))('$engine', ({ engine, repeated }) => {
  it('carries the transaction out once', async () => {
    const dataDir = await freshDirectory();
    const start = () => startDynamoDb({ dataDir, engine, accessKeyId: localConnection().credentials.accessKeyId });
    let dynamoDb = await start();
    onTestFinished(() => dynamoDb.stop());
    const tableName = 'custodia';
    await createTable(dynamoDb.endpoint, tableName);

    const orders: number[] = [];
    class Restarting extends NodeHttpHandler {
      override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
        const { hostname, port } = new URL(dynamoDb.endpoint);
        Object.assign(request, { hostname, port: Number(port) });
        const response = await super.handle(request, options);
        if (!String(request.headers['x-amz-target']).endsWith('TransactWriteItems')) return response;
        orders.push(response.response.statusCode);
        if (orders.length > 1) return response;
        await dynamoDb.stop();
        dynamoDb = await start();
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      }
    }
    const org = randomUUID();
    const at = (handler?: NodeHttpHandler) =>
      openTenant(tableAt({ tableName, endpoint: dynamoDb.endpoint }, handler), org, Date.now, 120_000);
    const { record } = await doIn(at(new Restarting()), (tenant) =>
      tenant.records(jobs).create({ fields: { state: 'open', code: 'a' } }),
    );

    expect(orders).toEqual([200, repeated]);
    const page = await at()
      .records(jobs)
      .page(asked({ page_size: 10 }));
    expect([page.total, page.records.map(({ record: { id } }) => id)]).toEqual([1, [record.id]]);
    const audit = await auditOf(at().session.tables.environment, `ORG#${org}#JOB`, { state: ['open'] });
    expect(audit).toEqual({ lost: [], faults: [] });
  });
});
