import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { type Calls, expectNoDifference, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { installation, newTicket, TICKETS } from '../support/tickets.ts';

let api: Api;
let acme: Calls;
let rival: Calls;

beforeAll(async () => {
  api = await startApi();
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
});
afterAll(() => api.close());

describe.each(['client_id', 'service_id', 'resource_id', 'terminal_id'] as const)('the reference %s', (field) => {
  it('must name a record of the tenant', async () => {
    const theirs = await installation(rival);
    const { id } = await acme.create(TICKETS, newTicket());
    for (const attempt of [
      (value: string) => acme.ask('POST', TICKETS, newTicket({ [field]: value })),
      (value: string) => acme.ask('PATCH', `${TICKETS}/${id}`, { [field]: value }),
    ]) {
      await expectNoDifference(422, attempt, theirs[field]);
      expect((await attempt(randomUUID())).body.errors).toEqual(pointsAt(field));
    }
    expect(await acme.read(`${TICKETS}/${id}`)).toMatchObject({ [field]: null });
  });

  it('may be set, and taken away again', async () => {
    const ours = await installation(acme);
    const { id } = await acme.create(TICKETS, newTicket());
    const set = await acme.ask('PATCH', `${TICKETS}/${id}`, { [field]: ours[field] });
    expect([set.status, set.body[field]]).toEqual([200, ours[field]]);
    const unset = await acme.ask('PATCH', `${TICKETS}/${id}`, { [field]: null });
    expect([unset.status, unset.body[field]]).toEqual([200, null]);
  });
});
