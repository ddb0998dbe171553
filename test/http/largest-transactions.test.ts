import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { bodyOf, FaultyHandler } from '../support/faults.ts';
import { useTableOver } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';
import { signIn } from '../support/user-access.ts';
import { type ApiDriver, apiDriverOf, NOWHERE, type Responded } from './api-driver.ts';

/**
 * The largest transactions: those of records with as many tags and words as are found, all of which change, together with all other fields by which
 * they are listed, counted or referred to. DynamoDB takes at most 100 items in one.
 */

const MOST_ITEMS = 100;

/** The items of each transaction that was sent. */
class Counting extends FaultyHandler {
  readonly sent: number[] = [];

  override handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    if (request.headers['x-amz-target']?.endsWith('TransactWriteItems'))
      this.sent.push(JSON.parse(bodyOf(request)).TransactItems.length);
    return super.handle(request, options);
  }
}

const network = new Counting();
const api = useApi({ authorizerTtlSeconds: 0 });
let org: OrgAccess;
let mine: ApiDriver;
/** What the records refer to, before and after. */
const references: { client: Responded; services: Responded[]; resources: Responded[]; terminal: Responded }[] = [];

beforeAll(async () => {
  useTableOver(network);
  org = await api.orgToken();
  mine = apiDriverOf(api, org.token);
  for (const _ of [0, 1]) {
    const client = await mine.client();
    const services = [await mine.service({ client_id: client.id }), await mine.service({ client_id: client.id })];
    const resources = [await mine.resource({ client_id: client.id }), await mine.resource({ client_id: client.id })];
    references.push({
      client,
      services,
      resources,
      terminal: await mine.create('/terminals', { client_id: client.id, name: 'x' }),
    });
  }
});

const texts = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
/** One of two sets of values; no value is in both. */
const words = (side: number) => texts(20, `w${side}x`).join(' ');
const tags = (side: number) => texts(100, `tag-${side}-`);
const uuid = (side: number) => NOWHERE.replace(/^87/, `a${side}`);
const secret = (side: number) => ({ password: `p${side}` });

const clientOf = (side: number) => ({
  name: words(side),
  slug: `slug-${side}`,
  email: `a${side}@example.com`,
  status: `s${side}`,
});
const serviceOf = (side: number) => ({
  name: words(side),
  status: `s${side}`,
  health_status: side === 0 ? 'healthy' : 'down',
  tags: tags(side),
  credentials: secret(side),
});
const resourceOf = (side: number) => ({
  name: words(side),
  service_id: references[0]?.services[side]?.id,
  external_id: `external-${side}-${'x'.repeat(60)}`,
  ip_address: `10.${side}.0.1`,
  status: `s${side}`,
  health_status: side === 0 ? 'healthy' : 'down',
  cpu_usage: side === 0 ? 1 : 99,
  tags: tags(side),
  credentials: secret(side),
});
const ticketOf = (side: number) => {
  const { client, services, resources, terminal } = references[side] ?? {};
  return {
    subject: words(side),
    description: 'x',
    source: 'web',
    contact_id: uuid(side),
    status: side === 0 ? 'open' : 'closed',
    client_id: client?.id,
    service_id: services?.[0]?.id,
    resource_id: resources?.[0]?.id,
    terminal_id: terminal?.id,
    assigned_to: uuid(side),
    tags: tags(side),
  };
};

/** What all records of a kind have, and never change. */
const ofClient = (type: string) => () => ({ client_id: references[0]?.client.id, type });

const KINDS: readonly {
  readonly event: string;
  readonly path: string;
  readonly fieldsOf: (side: number) => object;
  readonly fixed: () => object;
}[] = [
  { event: 'client', path: '/clients', fieldsOf: clientOf, fixed: () => ({}) },
  { event: 'service', path: '/services', fieldsOf: serviceOf, fixed: ofClient('web') },
  { event: 'resource', path: '/resources', fieldsOf: resourceOf, fixed: ofClient('vm') },
  { event: 'ticket', path: '/tickets', fieldsOf: ticketOf, fixed: () => ({}) },
];

describe('a transaction has at most 100 items', () => {
  it.each(KINDS)(
    'that creates, changes or deletes a $event, also as a webhook',
    async ({ event, path, fieldsOf, fixed }) => {
      const largest: Record<string, number> = {};
      const note = (what: string): void => {
        largest[what] = Math.max(...network.sent.splice(0));
      };
      const { id } = await mine.create(path, { ...fixed(), ...fieldsOf(0) });
      note('creation');
      expect(await mine.patch(`${path}/${id}`, fieldsOf(1))).toMatchObject({ status: 200 });
      note('change');
      expect(await deliver(api, org, { event_type: `${event}.updated`, data: { id, ...fieldsOf(0) } })).toMatchObject({
        status: 200,
      });
      note('change by webhook');
      if (event !== 'client') {
        expect((await mine.remove(`${path}/${id}`)).status).toBe(204);
        note('deletion');
      }
      expect(largest).toEqual(
        Object.fromEntries(
          Object.keys(largest).map((what) => [what, expect.toSatisfy((items: number) => items <= MOST_ITEMS)]),
        ),
      );
      // Words take two items each, and tags, of which clients have none.
      expect(largest.change).toBeGreaterThan(event === 'client' ? 24 : 64);
    },
  );

  it('that lets a user leave with all that it may have, for another user', async () => {
    const { id } = await mine.create('/users', { email: 'ada@acme.example' });
    for (let count = 0; count < 10; count++) {
      const fields = { name: 'x', issuer: `https://id.example/${count}`, audiences: ['custodia'] };
      const { id: provider_id } = await mine.create('/identity-providers', fields);
      await mine.create(`/users/${id}/identities`, { provider_id, subject: 'ada' });
    }
    for (let count = 0; count < 20; count++) await mine.create('/users/memberships', { user_id: id });
    for (let count = 0; count < 30; count++) await mine.create('/tickets', { ...ticketOf(0), assigned_to: id });
    const by = await signIn(api, org, {}, { is_superadmin: true });
    network.sent.splice(0);
    const left = await apiDriverOf(api, by.token).post(`/users/${id}/offboard`, undefined);
    expect([left.status, left.body.done]).toEqual([200, true]);
    expect(network.sent.filter((items) => items > MOST_ITEMS)).toEqual([]);
    expect(Math.max(...network.sent)).toBeGreaterThan(80);
  });
});
