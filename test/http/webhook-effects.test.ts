import { describe, expect, it } from 'vitest';
import { deliver } from '../support/deliver.ts';
import { prepared } from '../support/prepared.ts';
import { idsInEvent, operations, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const org = prepared(() => api.orgToken());
const testTenant = prepared(() => new TestTenant(api, org));

const withEvents = operations.flatMap(([id, route]) =>
  route.event === undefined ? [] : [[route.event.type, id] as const],
);

/** Every event type that a contract declares, delivered with the example of its route. */
describe('every event with an effect does what its route does', () => {
  it.each(withEvents)('%s: %s', async (type, operationId) => {
    const scenario = await testTenant.scenario(operationId);
    // Other members of partners are ignored and named.
    const more = { created: 1_763_700_000, livemode: true };
    const data = { ...more, ...scenario.body, ...idsInEvent(scenario) };
    expect((await deliver(api, org, { event_type: type, data })).body).toMatchObject({ received: true });
    const { body: events } = await api.request<{ data: Record<string, unknown>[] }>(
      'GET',
      `/api/v1/webhook-events?page_size=1&event_type=${type}`,
      { token: org.token },
    );
    expect(events.data[0]).toMatchObject({ outcome: 'applied', operation: operationId, record_id: expect.any(String) });
    const whole = await api.request('GET', `/api/v1/webhook-events/${events.data[0]?.id}`, { token: org.token });
    expect(whole.body.ignored_fields).toEqual(Object.keys(more));
  });
});
