import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { heldKey } from '../../functions/alerts/state/held.ts';
import type { JsonBody } from '../support/api.ts';
import type { TableRequest } from './account/account.ts';
import type { RunningStack } from './account/deploy.ts';

interface Deployed {
  readonly api: RunningStack;
  /** The partitions in a request that are another tenant's than the signer's. */
  readonly anotherTenants: (request: TableRequest) => string[];
}

/** From an alert in maintenance to its ticket, under the roles of the two functions. */
export function describeHeldAlerts({ api, anotherTenants }: Deployed): void {
  describe('an alert that is held gets its ticket under the roles of the stack', () => {
    it('by the function of its schedule, in a session of the tenant', async () => {
      const { token, orgId, integrationId } = await api.orgToken('Monitored');
      const ask = async (method: string, path: string, body?: JsonBody) =>
        (await api.request<JsonBody>(method, `/api/v1/${path}`, { token, ...(body && { body }) })).body;
      const [window, hour] = [Date.now(), 3_600_000];
      const times = { from: new Date(window - hour).toISOString(), to: new Date(window + hour).toISOString() };
      const { id } = await ask('POST', 'maintenance-windows', times);
      const held = await ask('POST', 'alerts/custodia', { fingerprint: 'f', status: 'firing' });
      expect(held.alerts, JSON.stringify(api.account.refusals)).toMatchObject([{ outcome: 'held' }]);
      await ask('DELETE', `maintenance-windows/${id}`);

      // An hour later.
      const { client, tableName } = api.table;
      const ofAlerts = {
        KeyConditionExpression: 'PK = :pk',
        ExpressionAttributeValues: { ':pk': `ORG#${orgId}#ALERT` },
      };
      const { Items: items = [] } = await client.send(new QueryCommand({ TableName: tableName, ...ofAlerts }));
      const alert = items.find(({ state }) => state === 'held');
      const digest = String(alert?.SK).split('#').at(-1) ?? '';
      const entry = heldKey(orgId, integrationId, times.from, digest);
      for (const item of [{ ...alert, held_until: times.from }, entry])
        await client.send(new PutCommand({ TableName: tableName, Item: { ...item } }));
      const before = api.account.requests.length;
      expect(await api.lambda.get('held-alerts')?.invoke({}), api.account.refusals.join()).toHaveProperty('payload');
      const requests = api.account.requests.slice(before);
      expect(requests.flatMap(anotherTenants)).toEqual([]);
      for (const { by, partitions } of requests.filter((each) => each.by.tags.tenant === undefined))
        for (const each of partitions) expect([by.roleArn, each]).toEqual([by.roleArn, expect.stringMatching(OWN)]);
      expect((await ask('GET', 'tickets')).data).toMatchObject([{ subject: 'Alert f', source: 'monitoring' }]);
    });
  });
}

/** What the function reaches on its own. */
const OWN = /^(WARM#|HELD_ALERTS)$/;
