import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { type Calls, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { newTicket, TICKETS } from '../support/tickets.ts';

let api: Api;
let acme: Calls;
let rival: Calls;

beforeAll(async () => {
  api = await startApi();
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
});
afterAll(() => api.close());

describe('ticket codes', () => {
  it('are a sequence without doubles, 64 callers at once', async () => {
    const org = await newTenant(api);
    const made = await Promise.all(Array.from({ length: 64 }, () => org.create(TICKETS, newTicket())));
    expect(made.map((ticket) => ticket.ticket_code).sort()).toEqual(
      Array.from({ length: 64 }, (_, index) => `T-${String(index + 1).padStart(6, '0')}`),
    );
    const page = await org.read(`${TICKETS}?page_size=200`);
    expect([page.total, new Set(page.data.map(({ id }) => id)).size]).toEqual([64, 64]);
  });

  it('that are taken are a conflict, also for 16 callers at once', async () => {
    const ticket_code = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => acme.ask('POST', TICKETS, newTicket({ ticket_code }))),
    );
    const refused = answers.filter(({ status }) => status === 409);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(15).fill(409)]);
    for (const { body } of refused) expect(body.errors).toEqual(pointsAt('ticket_code'));
  });

  it('given by hand never stand in the way of a generated one', async () => {
    const org = await newTenant(api);
    await org.create(TICKETS, newTicket({ ticket_code: 'T-000003' }));
    await org.create(TICKETS, newTicket({ ticket_code: 'T-000003-2' }));
    const made = [await org.create(TICKETS, newTicket()), await org.create(TICKETS, newTicket())];
    expect(made.map((ticket) => ticket.ticket_code)).toEqual(['T-000003-3', 'T-000004']);
    expect(await org.read(`${TICKETS}?page_size=1`)).toMatchObject({ total: 4 });
  });

  it('are free again when their ticket is gone, and belong to their tenant', async () => {
    const ticket_code = randomUUID();
    const { id } = await acme.create(TICKETS, newTicket({ ticket_code }));
    await rival.create(TICKETS, newTicket({ ticket_code }));
    expect((await acme.ask('DELETE', `${TICKETS}/${id}`)).status).toBe(204);
    expect(await acme.create(TICKETS, newTicket({ ticket_code }))).toMatchObject({ ticket_code });
  });

  it('do not change', async () => {
    const ticket = await acme.create(TICKETS, newTicket());
    const { status, body } = await acme.ask('PATCH', `${TICKETS}/${ticket.id}`, { ticket_code: 'other' });
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: '#/ticket_code' })]]);
    expect((await acme.ask('GET', `${TICKETS}/${ticket.id}`)).body).toEqual(ticket);
  });
});
