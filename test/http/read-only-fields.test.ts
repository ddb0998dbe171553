import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { takesHeader } from '#contract';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

/**
 * No field that was sent is silently ignored (`docs/decisions/0138-read-only-fields.md`): every operation whose body
 * may name fields that it cannot set.
 */

const api = useApi();

const testTenant = prepared(async () => new TestTenant(api, await api.orgToken()));

const withFixed = operations.filter(([, route]) => takesHeader(route, 'Prefer'));
const changes = withFixed.filter(([, { method }]) => method === 'PATCH').map(([id]) => id);
/** A batch has no fields of its own: its lines are creations of these. */
const creations = withFixed.filter(([id, { method }]) => method === 'POST' && id !== 'runBatch').map(([id]) => id);

const LENIENT = { prefer: 'respond-async, handling=lenient' };

const fixedOf = ({ route }: Scenario): string[] => Object.keys(route.body?.readOnlyFields ?? {});
const pointersOf = ({ body }: { readonly body: JsonBody }): string[] =>
  ((body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);

/** The record that a scenario changes. */
async function recordOf({ path, token }: Scenario): Promise<JsonBody> {
  return (await api.request('GET', path, token === undefined ? {} : { token })).body;
}

/** Another value of the same kind. */
function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return 'never';
  return /^[\da-f-]{36}$/.test(value) ? randomUUID() : `${value}x`;
}

describe('a change', () => {
  it('is there for every kind of record that can be changed', () => {
    expect(changes).toHaveLength(operations.filter(([, { method }]) => method === 'PATCH').length);
  });

  it.each(changes)('%s takes a record as it was read, and changes nothing', async (operationId) => {
    const scenario = await testTenant.scenario(operationId);
    const { body: record, headers } = await testTenant.send({ ...scenario, body: {} });
    const again = await testTenant.send({ ...scenario, body: record });
    expect([again.status, again.body]).toEqual([200, record]);
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
  });

  it.each(changes)('%s refuses other values of the fields that it cannot set, and says which', async (operationId) => {
    const scenario = await testTenant.scenario(operationId);
    const record = await recordOf(scenario);
    const fields = fixedOf(scenario);
    const other = Object.fromEntries(fields.map((field) => [field, otherThan(record[field])]));
    const refused = await testTenant.send({ ...scenario, body: { ...scenario.body, ...other } });
    expect([refused.status, pointersOf(refused)]).toEqual([422, fields.map((field) => `#/${field}`)]);
    expect(await recordOf(scenario)).toEqual(record);
  });

  it.each(changes)('%s ignores them where the caller prefers so', async (operationId) => {
    const scenario = await testTenant.scenario(operationId);
    const record = await recordOf(scenario);
    const other = Object.fromEntries(fixedOf(scenario).map((field) => [field, otherThan(record[field])]));
    const { status, headers, body } = await testTenant.send(
      { ...scenario, body: { ...scenario.body, ...other } },
      LENIENT,
    );
    expect([status, headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
    for (const field of fixedOf(scenario))
      if (
        !['updated_at', 'edited_at', 'last_activity_at', 'resolved_at', 'under_maintenance', 'backlog'].includes(field)
      )
        expect(body[field]).toEqual(record[field]);
  });
});

describe('a creation', () => {
  it.each(creations)(
    '%s refuses fields that only the service sets, creates nothing, and says which',
    async (operationId) => {
      const scenario = await testTenant.scenario(operationId);
      const fixed = Object.fromEntries(fixedOf(scenario).map((field) => [field, 'chosen']));
      const refused = await testTenant.send({ ...scenario, body: { ...scenario.body, ...fixed } });
      expect([refused.status, pointersOf(refused)]).toEqual([422, Object.keys(fixed).map((field) => `#/${field}`)]);
      // Its unique values are free.
      const nulls = Object.fromEntries(fixedOf(scenario).map((field) => [field, null]));
      const { status, headers } = await testTenant.send({ ...scenario, body: { ...scenario.body, ...nulls } });
      expect([status, headers.get('preference-applied')]).toEqual([201, null]);
    },
  );

  it.each(creations)('%s ignores them where the caller prefers so', async (operationId) => {
    const scenario = await testTenant.scenario(operationId);
    const id = randomUUID();
    const { status, headers, body } = await testTenant.send({ ...scenario, body: { ...scenario.body, id } }, LENIENT);
    expect([status, headers.get('preference-applied')]).toEqual([201, 'handling=lenient']);
    expect(body.id).not.toBe(id);
  });

  it('takes those values that the new record has', async () => {
    const scenario = await testTenant.scenario('createClient');
    const asItWillBe = { services_count: 0, total_resources: 0, has_risks: false, last_contact: null };
    expect((await testTenant.send({ ...scenario, body: { ...scenario.body, ...asItWillBe } })).status).toBe(201);
    const message = await testTenant.scenario('createTicketMessage');
    const ticket_id = message.path.split('/').at(-2)?.toUpperCase();
    expect((await testTenant.send({ ...message, body: { ...message.body, ticket_id } })).status).toBe(201);
  });

  it('under an idempotency key with other such values is another request', async () => {
    const scenario = await testTenant.scenario('createClient');
    const key = { 'idempotency-key': randomUUID() };
    expect((await testTenant.send(scenario, key)).status).toBe(201);
    expect((await testTenant.send(scenario, key)).headers.get('idempotent-replayed')).toBe('true');
    const other = { ...scenario, body: { ...scenario.body, id: randomUUID() } };
    expect((await testTenant.send(other, key)).body.type).toBe('urn:problem-type:custodia:idempotency-key-reused');
  });
});
