import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids, type Key, storedSets } from '@custodia/counted-lists';
import { counterKeyOf } from '@custodia/counted-lists/maintenance';
import { expect } from 'vitest';
import { RequestSession, Tenant, type TenantId, tenantPartition } from '#table';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import type { Api, JsonBody } from '../support/api.ts';
import { bitPlace } from '../support/bits.ts';
import { tableAt } from '../support/storage.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { TestTable } from '../table/test-list.ts';

type Found = Awaited<ReturnType<typeof verify>>['differences'];

/** The differences as `kind entity field`. */
export const named = (differences: Found): string[] =>
  differences.map(({ kind, entity, field }) => [kind, entity, field].filter(Boolean).join(' ')).toSorted();

/** The differences that a verification finds. */
export const differencesOf = async (id: string, repair = false): Promise<Found> =>
  (await verify(Tenant.ofOperator(id, RequestSession.ofEnvironment(60_000)), kinds, { repair })).differences;

type Made = 'client' | 'service' | 'resource' | 'ticket' | 'terminal';

/** An organization with two clients and their records, whose items can be damaged. */
export class DamagedTenant extends TestTable {
  readonly calls: Calls;
  readonly tenant: TenantId;
  readonly #made: Record<Made, string[]> = { client: [], service: [], resource: [], ticket: [], terminal: [] };

  private constructor(api: Api, { orgId, token }: { readonly orgId: string; readonly token: string }) {
    super();
    this.place = api.table;
    this.table = tableAt(api.table);
    this.tenant = orgId as TenantId;
    this.calls = callsOf(api, token);
  }

  static async make(api: Api): Promise<DamagedTenant> {
    const made = new DamagedTenant(api, await api.orgToken());
    for (const name of ['one', 'two']) await made.#fill(name);
    return made;
  }

  async #fill(name: string): Promise<void> {
    const make = async (kind: Made, fields: JsonBody): Promise<string> => {
      const { id } = await this.calls.create(`/api/v1/${kind}s`, fields);
      this.#made[kind].push(id);
      return id;
    };
    const client_id = await make('client', { name, slug: `slug-${name}` });
    const service_id = await make('service', { client_id, name, type: 'saas', health_status: 'degraded' });
    for (const status of ['active', 'active', 'stopped'])
      await make('resource', { client_id, service_id, name, type: 'server', status });
    await make('terminal', { client_id, name });
    const ticket = { client_id, contact_id: randomUUID(), subject: 's', description: 'd', source: 'email' };
    const ticketId = await make('ticket', ticket);
    for (let count = 0; count < 3; count++) await this.say(ticketId);
  }

  say(ticketId: string) {
    const message = { author_type: 'agent', author_id: randomUUID(), message: 'hello' };
    return this.calls.create(`/api/v1/tickets/${ticketId}/messages`, message);
  }

  /** The id of the first, second … of a kind. */
  id(kind: Made, index = 0): string {
    return this.#made[kind][index] ?? '';
  }

  key(kind: Made, index = 0): Key {
    return this.keyOf(kind.toUpperCase(), this.id(kind, index));
  }

  keyOf(entity: string, id: string): Key {
    return { PK: tenantPartition(this.tenant, entity), SK: ids.sortKeyOf(ids.numberOf(id)) };
  }

  counterItem(entity: string): Key {
    return counterKeyOf(tenantPartition(this.tenant, entity));
  }

  add(key: Key, attribute: string, amount: number | bigint): Promise<void> {
    return this.update(key, `ADD #${attribute} :amount`, { ':amount': amount });
  }

  set(key: Key, attribute: string, value: unknown): Promise<void> {
    return this.update(key, `SET #${attribute} = :value`, { ':value': value });
  }

  put(item: Key & JsonBody): Promise<unknown> {
    return this.table.client.send(new PutCommand({ TableName: this.table.name, Item: item }));
  }

  remove(key: Key): Promise<unknown> {
    return this.table.client.send(new DeleteCommand({ TableName: this.table.name, Key: { ...key } }));
  }

  /** Adds `times` the bit of a record to a set of its kind, as if a write had gone wrong. */
  shift(entity: string, id: string, times: bigint, field?: string, value?: string): Promise<void> {
    const { sortKey, word, bit } = bitPlace(ids.numberOf(id));
    const PK = storedSets.partitionOf(tenantPartition(this.tenant, entity), field, value);
    return this.add({ PK, SK: sortKey }, word, times * bit);
  }

  /** All lists and counters in the API. */
  async lists(): Promise<unknown> {
    const paths = [
      ...['clients', 'clients?status=active', 'services', `services?client_id=${this.id('client', 1)}`],
      ...['services?health_status=degraded', 'resources', 'resources?status=active', 'terminals'],
      ...['resources?status=stopped&health_status=healthy', `resources?service_id=${this.id('service')}`],
      ...['clients?has_risks=true', 'clients?has_risks=false', 'resources?over_threshold=false'],
      ...['terminals?status=active', 'tickets', 'tickets?status=open', 'tickets?status=pending'],
      ...this.#made.ticket.map((id) => `tickets/${id}/messages`),
    ];
    return Promise.all(paths.map((path) => this.calls.read(`/api/v1/${path}`)));
  }

  async expectNoDifference(): Promise<void> {
    expect(await differencesOf(this.tenant)).toEqual([]);
  }
}
