import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MOST_MERGED } from '../../functions/tickets/limits.ts';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { newTenant, pointsAt } from '../support/tenant-calls.ts';
import { newMessage, newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** Tickets that are merged into another one (`docs/decisions/0031-tickets.md`). */

const api = useApi();
const acme = prepared(() => newTenant(api));
const rival = prepared(() => newTenant(api));

const ticket = async (fields: JsonBody = {}) => (await acme.create(TICKETS, { ...newTicket(), ...fields })).id;
const read = (id: string) => acme.read(`${TICKETS}/${id}`);
const merge = (id: string, into: string, by = acme) => by.ask('POST', `${TICKETS}/${id}/merge`, { into });
const say = (id: string, message: string) => acme.create(`${TICKETS}/${id}/messages`, newMessage(message));
const client = async () => (await acme.create('/api/v1/clients', { name: 'Acme' })).id;

/** The texts of the messages of a ticket, page by page. */
async function textsOf(id: string, query: string): Promise<unknown[]> {
  const texts: unknown[] = [];
  for (let path = `${TICKETS}/${id}/messages?${query}`; path !== ''; ) {
    const { status, body, headers } = await acme.ask('GET', path);
    expect(status).toBe(200);
    texts.push(...body.data.map(({ message }) => message));
    path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
  }
  return texts;
}

describe('a ticket that is merged', () => {
  it('is closed, and names the other one, which names it', async () => {
    const [one, into] = [await ticket(), await ticket()];
    const before = await read(into);
    const merged = await merge(one, into);
    expect([merged.status, merged.body]).toEqual([
      200,
      expect.objectContaining({ status: 'closed', merged_into: into, merged_from: null, overdue: false }),
    ]);
    expect(merged.body.resolved_at).toBe(merged.body.updated_at);
    expect(await read(one)).toEqual(merged.body);
    const after = await read(into);
    const { updated_at, last_activity_at } = after;
    expect(after).toEqual({ ...before, merged_from: [one], updated_at, last_activity_at });
    // A repetition, such as after a lost response, changes nothing.
    expect((await merge(one, into)).body).toEqual(merged.body);
    expect(await read(into)).toEqual(after);
    expect((await acme.read(`${TICKETS}?merged_into=${into}&view=full`)).data.map(({ id }) => id)).toEqual([one]);
  });

  it('stays closed, and is changed otherwise', async () => {
    const [one, into] = [await ticket(), await ticket()];
    await merge(one, into);
    const refused = await acme.ask('PATCH', `${TICKETS}/${one}`, { status: 'open' });
    expect([refused.status, refused.body.errors]).toEqual([422, pointsAt('status')]);
    expect((await acme.ask('PATCH', `${TICKETS}/${one}`, { priority: 'low', status: 'closed' })).status).toBe(200);
  });

  it('says of a ticket that is not there that it is none', async () => {
    for (const into of [randomUUID(), { external_id: 'none' }]) {
      const { body } = await acme.ask('POST', `${TICKETS}/${await ticket()}/merge`, { into });
      expect(body.detail).toBe('into names a ticket that does not exist.');
    }
  });

  it.each<[string, number, () => Promise<readonly [string, string]>]>([
    ['itself', 422, async () => (await ticket()).repeat(2).match(/.{36}/g) as unknown as [string, string]],
    ['nothing', 422, async () => [await ticket(), randomUUID()]],
    ['another tenant’s', 422, async () => [await ticket(), (await rival.create(TICKETS, newTicket())).id]],
    [
      'one of another client',
      422,
      async () => [await ticket({ client_id: await client() }), await ticket({ client_id: await client() })],
    ],
    [
      'one that is merged itself',
      422,
      async () => {
        const [one, two, three] = [await ticket(), await ticket(), await ticket()];
        await merge(two, three);
        return [one, two];
      },
    ],
    [
      'a second one',
      409,
      async () => {
        const one = await ticket();
        await merge(one, await ticket());
        return [one, await ticket()];
      },
    ],
  ])('is not merged into %s', async (_, status, made) => {
    const [one, into] = await made();
    const before = await read(one);
    const refused = await merge(one, into);
    expect([refused.status, refused.body.errors]).toEqual([status, status === 422 ? pointsAt('into') : undefined]);
    expect(await read(one)).toEqual(before);
  });

  it('brings those along that it has taken in, up to a number', async () => {
    const [one, two, into] = [await ticket(), await ticket({ client_id: await client() }), await ticket()];
    await merge(one, two);
    await merge(two, into);
    expect(await read(into)).toMatchObject({ merged_from: [two, one] });
    for (let others = 2; others < MOST_MERGED; others++) expect((await merge(await ticket(), into)).status).toBe(200);
    const refused = await merge(await ticket(), into);
    expect([refused.status, refused.body.errors]).toEqual([422, pointsAt('into')]);
  });

  it('of two that are merged into each other at once, one is', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await ticket(), await ticket()];
      const [first, second] = await Promise.all([merge(one, two), merge(two, one)]);
      expect([`200 422`, `422 200`]).toContain(`${first.status} ${second.status}`);
      const merged = [await read(one), await read(two)].map(({ merged_into }) => merged_into);
      expect(merged.filter((into) => into !== null)).toHaveLength(1);
    }
  });

  it('is another tenant’s business: a 404', async () => {
    expect((await merge(await ticket(), await ticket(), rival)).status).toBe(404);
  });
});

describe('the messages of a ticket with merged ones', () => {
  it('are in order, in pages, from either end; and by themselves without', async () => {
    const [one, two, into] = [await ticket(), await ticket(), await ticket()];
    const said: string[] = [];
    for (let index = 0; index < 45; index++) {
      said.push(`${index}`);
      await say([one, into, into, two][index % 4] ?? into, `${index}`);
    }
    await merge(one, into);
    await merge(two, into);
    for (const query of ['merged=true', 'merged=true&page_size=7', 'merged=true&page_size=1']) {
      expect(await textsOf(into, query)).toEqual(said);
      expect(await textsOf(into, `${query}&sort=-created_at`)).toEqual(said.toReversed());
    }
    const own = said.filter((_, index) => [1, 2].includes(index % 4));
    expect(await textsOf(into, 'page_size=7')).toEqual(own);
    await say(one, 'late');
    expect(await textsOf(into, 'merged=true')).toEqual([...said, 'late']);
    expect((await acme.ask('DELETE', `${TICKETS}/${one}`)).status).toBe(204);
    expect(await textsOf(into, 'merged=true')).toEqual(said.filter((_, index) => index % 4 !== 0));
  });
});
