import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ids } from '@custodia/counted-lists';
import { expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';

import { LOCAL_TABLE } from '../../local/settings.ts';
import { freshDirectory } from '../support/directory.ts';
import { runOperator } from '../support/operator.ts';
import { PATIENCE } from '../support/patience.ts';
import { canListProcesses, isRunning } from '../support/processes.ts';
import { tableAt } from '../support/storage.ts';
import { childrenOf, linesToPaste, ON_DYNOXIDE, paste, start } from './start-fixture.ts';

const endpointIn = (dataDir: string): string => readFileSync(join(dataDir, 'dynamodb.endpoint'), 'utf8');
const secretIn = (output: string): string | undefined => /platform secret {4}(.*)/.exec(output)?.[1];

it.skipIf(!canListProcesses)(
  'npm start keeps its data, keys and secret when its DynamoDB dies and when it is killed',
  async () => {
    const DATA_DIR = join(await freshDirectory(), 'data');
    const variables = { DATA_DIR, ...ON_DYNOXIDE };
    const first = start({ ...variables, LOG_LEVEL: 'warn' });
    await first.ready();
    const [login = '', create = '', list = ''] = linesToPaste(first);
    const token = (await paste([login, 'echo $TOKEN'])).trim();
    const { id } = JSON.parse(await paste([login, create]));
    // DynamoDB Local responds before it has stored a transaction: the last ones may be lost.
    await paste([login, create, create]);
    const verify = () => runOperator(['verify', '--local', '--org', id], variables, { alone: true });
    const stdout = expect.stringMatching(/^Records looked at: [1-9]\d*\. Differences: 0\. Repaired: 0\.\n$/);
    expect(await verify()).toEqual({ code: 0, stdout, stderr: '' });

    const beside = start(variables);
    expect(await beside.exit).toBe(1);
    expect(beside.output()).toMatch(/^The data directory .* is in use by another running instance: .*\.\n$/);

    const welcome = first.output();
    const [engine = Number.NaN] = childrenOf(first);
    process.kill(engine, 'SIGKILL');
    await vi.waitUntil(() => first.output().includes('DynamoDB answers again'), { timeout: PATIENCE });
    expect(await paste([login, list])).toContain('"name":"Acme"');
    expect(first.output().slice(welcome.length)).toMatch(
      /^WARN The embedded DynamoDB has died \(SIGKILL.*\)\. It is started again, over its data in .*\.\nWARN DynamoDB answers again, at http:\S+\.\n$/,
    );
    expect(first.output()).toContain(`at ${localConnection(endpointIn(DATA_DIR)).endpoint}.`);

    // A ticket with more messages than one round trip deletes was deleted, and the machine stopped before all of them
    // were.
    const messages = `ORG#${id}#TICKET#${randomUUID()}#MESSAGE`;
    const cascadeDeletes = `ORG#${id}#CASCADE_DELETE`;
    await putAll(DATA_DIR, [
      ...Array.from({ length: 60 }, (_, n) => ({ PK: messages, SK: ids.sortKeyOf(n), message: 'left' })),
      { PK: `${messages}#SET`, SK: 'HEAD', NEXT: 300 },
      { PK: cascadeDeletes, SK: messages },
    ]);
    expect(await countOf(DATA_DIR, messages)).toBe(60);
    const children = childrenOf(first);
    await first.signal('SIGKILL');
    await vi.waitUntil(() => !children.some(isRunning), { timeout: PATIENCE });

    // The operator starts a DynamoDB of its own, and leaves the directory to the next.
    const unfinished = expect.stringContaining(`${messages} belonged to a deleted record and is not empty yet`);
    expect(await verify()).toEqual({ code: 1, stdout: unfinished, stderr: '' });
    const second = start(variables);
    const url = await second.ready();
    const left = [messages, `${messages}#SET`, cascadeDeletes].map((partition) => countOf(DATA_DIR, partition));
    expect(await Promise.all(left)).toEqual([0, 0, 0]);
    const response = await fetch(`${url}/api/v1/orgs/${id}`, { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ name: 'Acme' })]);
    expect(secretIn(second.output())).toBe(secretIn(first.output()));
    expect(await second.signal('SIGTERM')).toBe(0);
  },
);

/** The table of whatever runs over this data directory. */
const tableIn = (dataDir: string) => tableAt({ tableName: LOCAL_TABLE, endpoint: endpointIn(dataDir) });

async function putAll(dataDir: string, items: readonly object[]): Promise<void> {
  const { client, name } = tableIn(dataDir);
  for (let first = 0; first < items.length; first += 25) {
    const batch = items.slice(first, first + 25).map((Item) => ({ PutRequest: { Item: { ...Item } } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [name]: batch } }));
  }
}

async function countOf(dataDir: string, partition: string): Promise<number> {
  const { client, name } = tableIn(dataDir);
  const query = new QueryCommand({
    ...{ TableName: name, ConsistentRead: true, Select: 'COUNT', KeyConditionExpression: 'PK = :partition' },
    ExpressionAttributeValues: { ':partition': partition },
  });
  return (await client.send(query)).Count ?? 0;
}
