import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { environmentTable, RequestSession, Tenant, tenantKey } from '#table';
import { registeredOf } from '../../functions/events/state/register.ts';
import { attemptsOf } from '../../functions/events/store.ts';
import { eraseOrganization } from '../../operator/erase.ts';
import { type Exported, recordsOf } from '../../operator/export.ts';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { suspendOrganization } from '../../operator/suspending.ts';
import { systemClock } from '../../shared/clock.ts';
import { apiDriverOf, NOWHERE } from '../http/api-driver.ts';
import { doIn } from '../support/storage.ts';
import { dumpOf } from '../support/table-dump.ts';
import { useApi } from '../support/use-api.ts';

/** What the operator's commands do with endpoints, how far they are, and their failed deliveries. */

const api = useApi();
const operate = (orgId: string) => Tenant.ofOperator(orgId, RequestSession.ofEnvironment(10_000));

/** An organization with an endpoint that two deliveries to have failed. */
async function withEndpoint() {
  const org = await api.orgToken();
  const mine = apiDriverOf(api, org.token);
  const endpoint = await mine.create('/webhook-endpoints', { url: 'https://hooks.acme.example/in' });
  const attempt = { events: 1, first_event_id: NOWHERE, duration_ms: 1, skipped: false, status_code: 500, error: null };
  const attempts = [];
  for (let made = 0; made < 2; made++)
    attempts.push(
      await doIn(operate(org.orgId), (tenant) =>
        attemptsOf(tenant, endpoint.id).create({ fields: { ...attempt, attempted_at: tenant.session.timestamp } }),
      ),
    );
  return { org, mine, endpoint, attempts };
}

it('verify counts endpoints, but not attempts, which expire', async () => {
  const { org, mine, endpoint, attempts } = await withEndpoint();
  const table = environmentTable();
  await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: { PK: attempts[0]?.item.PK, SK: attempts[0]?.item.SK } }),
  );
  const look = (repair = false) => verify(operate(org.orgId), kinds, { repair });
  expect((await look()).differences).toEqual([]);
  // So an endpoint with attempts that have expired can be deleted.
  const key = { ...tenantKey(operate(org.orgId).id, 'QUOTA', 'WEBHOOK_ENDPOINT') };
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: key,
      UpdateExpression: 'ADD USED :n',
      ExpressionAttributeValues: { ':n': 3 },
    }),
  );
  expect((await look(true)).differences).toMatchObject([
    { text: 'WEBHOOK_ENDPOINT quota USED is 4, counted are 1', repaired: true },
  ]);
  expect((await mine.remove(`/webhook-endpoints/${endpoint.id}`)).status).toBe(204);
  expect((await attemptsOf(operate(org.orgId), endpoint.id).keys()).records).toEqual([]);
  expect((await look()).differences).toEqual([]);
});

it('an export has endpoints as the API shows them, without secrets and attempts', async () => {
  const { org, mine, endpoint } = await withEndpoint();
  const exported: Exported[] = [];
  for await (const each of recordsOf(operate(org.orgId))) exported.push(each);
  const ours = exported.filter(({ type }) => type === 'WebhookEndpoint' || type === 'DeliveryAttempt');
  const { body } = await mine.get(`/webhook-endpoints/${endpoint.id}`);
  expect(ours).toEqual([{ type: 'WebhookEndpoint', record: body }]);
  expect(JSON.stringify(ours)).not.toMatch(/secrets|confirmed|sealed/);
});

it.each([true, false])('erasing leaves nothing, also in the register; sweeps: %s', async (sweeps) => {
  const { org } = await withEndpoint();
  expect(await registeredOf(environmentTable(), org.orgId)).toHaveLength(1);
  await suspendOrganization(org.orgId);
  let ahead = 0;
  await eraseOrganization(org.orgId, {
    sweeps,
    clock: () => systemClock() + ahead,
    pause: async (milliseconds) => {
      ahead += milliseconds;
    },
  });
  const left = (await dumpOf(api.table)).filter((item) => JSON.stringify(item).includes(org.orgId));
  expect(left.map(({ PK }) => PK?.S)).toEqual([`SUSPENDED#${org.orgId}`]);
});
