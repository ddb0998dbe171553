import { randomUUID } from 'node:crypto';
import { ids, type Table } from '@custodia/counted-lists';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { ensureLocalKeys } from '#auth';
import type { Permissions } from '#identity';
import { JournalReader, RequestSession, Tenant } from '#table';
import { stageCredentials, stageCredentialsChange, stageTokensEnd } from '#tenancy';
import type { Call, Outcome } from '../../functions/events/deliveries/ports.ts';
import type { Message, Queue } from '../../functions/events/deliveries/queue.ts';
import { wakeEndpoints } from '../../functions/events/deliveries/wake.ts';
import { work } from '../../functions/events/deliveries/work.ts';
import * as endpointSecrets from '../../functions/events/endpoints/secrets.ts';
import * as leases from '../../functions/events/state/lease.ts';
import { allRegistered, stageRegistration } from '../../functions/events/state/register.ts';
import {
  type DeliveryState,
  readStates,
  stageFreshStart,
  stageReplay,
  stageState,
} from '../../functions/events/state/state.ts';
import { attemptsOf, endpointEntity, type StoredEndpoint } from '../../functions/events/store.ts';
import { terminalEntity } from '../../functions/terminals/store.ts';
import type { Clock } from '../../shared/clock.ts';
import { sortedBy } from './asked.ts';
import { aCaller } from './caller.ts';
import type { FreshTable } from './dynamodb.ts';
import { keyFile } from './key-file.ts';
import { doIn, tableAt } from './storage.ts';

/**
 * Deliveries in virtual time: the worker and the schedule as they are, over a table of the embedded engine. Queue,
 * receivers, clock and chance are plain objects, so that days pass at once.
 *
 *     const world = new DeliveryWorld(place);
 *     const acme = await world.organization();
 *     const hook = await acme.endpoint({ batch_size: 10 });
 *     await acme.change(25);
 *     await world.run();
 *     expect(hook.numbers()).toEqual(await acme.numbers());
 */
export class DeliveryWorld {
  /** Epoch milliseconds. */
  now: number;
  readonly queue = new VirtualQueue(this);
  /** Ids of its organizations: others have registered endpoints in the same table. */
  readonly tenants = new Set<string>();
  /** By their URLs. */
  readonly receivers = new Map<string, Receiver>();
  /** How long a call takes, in milliseconds, where its receiver says nothing else. */
  latency = 100;
  /** Most workers that a tenant holds at a time. */
  slots = 25;
  /** Lets the time of a call pass, in milliseconds; undefined: at once. */
  elapse: ((milliseconds: number) => Promise<void>) | undefined;
  /** How wrong the clocks of workers are: one worker after another takes the next. In milliseconds. */
  readonly skews: number[] = [0];
  readonly table: Table;
  readonly #place: FreshTable;
  #workers = 0;
  #chance = 1;

  constructor(place: FreshTable, now = Math.floor(Date.now() / 1_000) * 1_000) {
    this.#place = place;
    this.table = this.#tableOf(0);
    this.now = now;
  }

  readonly clock: Clock = () => this.now;

  /** The same numbers in each run. */
  readonly random = (): number => {
    this.#chance = (this.#chance * 48_271) % 2_147_483_647;
    return this.#chance / 2_147_483_647;
  };

  session(clock: Clock = this.clock, table: Table = this.table): RequestSession {
    return new RequestSession(table, clock, clock() + 10_000);
  }

  async organization(): Promise<Organization> {
    await useKeys();
    const made = await Organization.create(this, randomUUID());
    this.tenants.add(made.id);
    return made;
  }

  /** What a worker has of the world. @param over the connection that it has to the table */
  worker(over?: NodeHttpHandler): Parameters<typeof work>[1] {
    const skew = this.skews[this.#workers++ % this.skews.length] ?? 0;
    const table = over === undefined && skew === 0 ? this.table : this.#tableOf(skew, over);
    const clock = (): number => this.now + skew;
    const send = async (call: Call): Promise<Outcome> => {
      const receiver = this.receivers.get(call.url);
      const takes = receiver?.latency ?? this.latency;
      if (this.elapse === undefined) this.now += takes;
      else await this.elapse(takes);
      return receiver?.receive(call, this.now) ?? { error: 'connection' };
    };
    const { queue, random, slots } = this;
    return { open: () => this.session(clock, table), clock, queue, send, random, slots };
  }

  /** The table as the SDK has it once it knows how wrong the clock is. */
  #tableOf(skew: number, over?: NodeHttpHandler): Table {
    const table = tableAt(this.#place, over);
    Object.defineProperty(table.client.config, 'systemClockOffset', { get: () => -skew, set: () => undefined });
    return table;
  }

  /** As the table's stream does. */
  wake(...organizations: readonly Organization[]): Promise<void> {
    return this.queue.send(organizations.map(({ id }) => ({ tenant: id })));
  }

  async schedule(): Promise<void> {
    const session = this.session();
    await wakeEndpoints(session, await allRegistered(session), this.queue);
  }

  /**
   * Works on messages until none is left, or nothing is due before the time. A message whose work fails is received
   * again.
   */
  async run(until = Number.POSITIVE_INFINITY, over?: () => NodeHttpHandler): Promise<void> {
    for (let message = this.queue.next(until); message !== undefined; message = this.queue.next(until)) {
      this.now = Math.max(this.now, message.at);
      try {
        await work(message.message, this.worker(over?.()));
      } catch (error) {
        this.failures.push(error);
        this.queue.putBack(message);
      }
    }
  }

  /** What workers have thrown. */
  readonly failures: unknown[] = [];

  /** Lets time pass, with a run of the schedule every five minutes. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    for (let next = this.now + SCHEDULE; next <= end; next += SCHEDULE) {
      await this.run(next);
      this.now = Math.max(this.now, next);
      await this.schedule();
    }
    await this.run(end);
    this.now = Math.max(this.now, end);
  }
}

const SCHEDULE = 5 * 60_000;
/** After so long a message that was received and not deleted is received again: the visibility timeout. */
const RECEIVED_AGAIN = 6 * 60_000;

interface Queued {
  readonly message: Message;
  /** When it is due. */
  readonly at: number;
}

/** A fair queue, as SQS's: of the messages that are due, one of the tenant that was served least recently. */
class VirtualQueue implements Queue {
  /** Whether a message is lost. */
  loses: (message: Message) => boolean = () => false;
  readonly #world: Pick<DeliveryWorld, 'now' | 'tenants'>;
  #queued: Queued[] = [];
  readonly #served = new Map<string, number>();
  #count = 0;

  constructor(world: Pick<DeliveryWorld, 'now' | 'tenants'>) {
    this.#world = world;
  }

  get length(): number {
    return this.#queued.length;
  }

  async send(messages: Parameters<Queue['send']>[0]): Promise<void> {
    for (const { delaySeconds = 0, ...message } of messages) {
      if (delaySeconds < 0 || delaySeconds > 900) throw new Error(`SQS refuses a delay of ${delaySeconds} s`);
      if (this.loses(message) || !this.#world.tenants.has(message.tenant)) continue;
      this.#queued.push({ message, at: this.#world.now + delaySeconds * 1_000 });
    }
  }

  putBack({ message }: Queued): void {
    this.#queued.push({ message, at: this.#world.now + RECEIVED_AGAIN });
  }

  /** When the next message is due. */
  get nextDue(): number {
    return Math.min(...this.#queued.map(({ at }) => at));
  }

  /** Takes the next message that is due until then. */
  next(until: number): Queued | undefined {
    const now = Math.max(this.#world.now, this.nextDue);
    if (this.nextDue > until) return undefined;
    const due = this.#queued.filter(({ at }) => at <= now);
    const lastServed = ({ message }: Queued): number => this.#served.get(message.tenant) ?? 0;
    const [next] = due.toSorted((one, other) => lastServed(one) - lastServed(other) || one.at - other.at);
    if (next === undefined) return undefined;
    this.#queued = this.#queued.filter((each) => each !== next);
    this.#served.set(next.message.tenant, ++this.#count);
    return next;
  }
}

/** A call as it was received. */
export interface Received extends Call {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
  readonly events: readonly { readonly id: string; readonly type: string; readonly record?: object | null }[];
}

/** Receives calls of one URL. */
export class Receiver {
  readonly url = `https://receiver.example/${randomUUID()}`;
  readonly calls: Received[] = [];
  /** How long a call takes, in milliseconds; undefined: as all. */
  latency: number | undefined;
  /** By default it accepts. */
  responds: (call: Received) => Outcome | Promise<Outcome> = () => ({ status: 204 });

  async receive(call: Call, at: number): Promise<Outcome> {
    const { data } = JSON.parse(call.body) as { data: Received['events'][number] | Received['events'] };
    const received = { ...call, at, id: call.headers['webhook-id'] ?? '', events: [data].flat() };
    this.calls.push(received);
    return this.responds(received);
  }

  /** The numbers of all events that were received. */
  numbers(): number[] {
    return this.calls.flatMap(({ events }) => events.map(({ id }) => ids.numberOf(id)));
  }

  /** The numbers of events, each as it was received first. */
  firstNumbers(): number[] {
    return [...new Set(this.numbers())];
  }
}

/** An organization with an integration that may do everything. */
export class Organization {
  readonly id: string;
  readonly integration = { id: randomUUID(), app_code: `app-${randomUUID()}` };
  readonly #world: DeliveryWorld;

  private constructor(world: DeliveryWorld, id: string) {
    this.#world = world;
    this.id = id;
  }

  static async create(world: DeliveryWorld, id: string): Promise<Organization> {
    const made = new Organization(world, id);
    await made.do(async (tenant) => {
      const { id: integration_id, app_code } = made.integration;
      const credentials = {
        app_code,
        tenant: tenant.id,
        integration_id,
        status: 'active',
        permissions: null,
        secrets: [],
      };
      stageCredentials(tenant.session, credentials as Parameters<typeof stageCredentials>[1]);
    });
    return made;
  }

  open(): Tenant {
    return Tenant.of(aCaller(this.id), this.#world.session());
  }

  /** Does something in the organization, as the operator would. */
  async do<T>(operation: (tenant: Tenant) => Promise<T>): Promise<T> {
    const tenant = this.open();
    tenant.session.audit.origin = {
      actor: { type: 'operator' },
      operation: 'test',
      requestId: null,
      sourceAddress: null,
    };
    return doIn(tenant, operation);
  }

  /** Makes so many changes, each with an event. */
  async change(count = 1, name = 'Desk'): Promise<void> {
    for (let made = 0; made < count; made++) await this.do((tenant) => createTerminal(tenant, name));
  }

  /** Makes changes as {@link change} does, and has the table's stream wake the workers. */
  async changeAndWake(...changes: Parameters<Organization['change']>): Promise<void> {
    await this.change(...changes);
    await this.#world.wake(this);
  }

  /** Makes so many changes in one transaction each of 20. */
  async flood(count: number): Promise<void> {
    for (let made = 0; made < count; made += A_TRANSACTION)
      await this.do(async (tenant) => {
        for (let index = 0; index < Math.min(A_TRANSACTION, count - made); index++)
          await createTerminal(tenant, 'Flood');
      });
  }

  /** The numbers of the events that are kept, without those of endpoints. */
  async numbers(): Promise<number[]> {
    const found: number[] = [];
    for (let from: number | 'oldest' = 'oldest', ended = 'limit'; ended === 'limit'; ) {
      const page: Awaited<ReturnType<JournalReader['read']>> = await new JournalReader(this.open()).read({
        from,
        limit: 1_000,
      });
      found.push(
        ...page.events.flatMap(({ type, id }) => (type.startsWith('webhook_endpoint.') ? [] : [ids.numberOf(id)])),
      );
      ({ next: from, ended } = page);
    }
    return found;
  }

  /** An endpoint with a receiver, which gets the events from now on. */
  async endpoint(fields: Partial<StoredEndpoint> = {}): Promise<Endpoint> {
    const receiver = new Receiver();
    const stored = await this.do(async (tenant) => {
      const start = await new JournalReader(tenant).end();
      const made = await tenant.records(endpointEntity).create<'secrets'>({
        fields: { ...this.#fieldsOf(receiver), ...fields },
        deferred: async ({ id }) => ({
          secrets: [{ sealed: await endpointSecrets.seal({ tenant, id }, SECRET), expires_at: null }],
        }),
      });
      stageState(tenant, made.record.id, start);
      stageRegistration(tenant, made.record.id, made.version);
      return made;
    });
    this.#world.receivers.set(receiver.url, receiver);
    return new Endpoint(this, stored.record.id, receiver);
  }

  #fieldsOf({ url }: Receiver): Omit<StoredEndpoint, 'id' | 'secrets'> {
    return {
      integration_id: this.integration.id,
      app_code: this.integration.app_code,
      url,
      // Without the events of endpoints.
      event_types: ['terminal.created', 'terminal.updated'],
      description: null,
      batch_size: 1,
      payload: 'event',
      status: 'active',
      status_reason: null,
      replayed_at: null,
      created_at: new Date(this.#world.now).toISOString(),
      confirmed: { token_epoch: 0, permissions: null },
    };
  }

  /** Changes what the integration may do. */
  allow(permissions: Permissions): Promise<void> {
    return this.do(async (tenant) => stageCredentialsChange(tenant, this.integration, { permissions }));
  }

  endTokens(): Promise<void> {
    return this.do(async (tenant) => stageTokensEnd(tenant, this.integration));
  }

  setIntegration(status: 'active' | 'inactive'): Promise<void> {
    return this.do(async (tenant) => stageCredentialsChange(tenant, this.integration, { status }));
  }
}

/** DynamoDB allows 100 items; each change takes several. */
const A_TRANSACTION = 20;

const createTerminal = (tenant: Tenant, name: string) =>
  tenant.records(terminalEntity).create({
    fields: {
      ...{ client_id: randomUUID(), external_id: null, name, location: '', status: 'active' },
      created_at: tenant.session.timestamp,
    },
  });

/** The secret of every endpoint. */
export const SECRET = endpointSecrets.generate();

/** An endpoint with its receiver. */
export class Endpoint {
  readonly id: string;
  readonly receiver: Receiver;
  readonly #organization: Organization;

  constructor(organization: Organization, id: string, receiver: Receiver) {
    this.#organization = organization;
    this.id = id;
    this.receiver = receiver;
  }

  /** The record; undefined where it was deleted. */
  async record(): Promise<StoredEndpoint | undefined> {
    return (await this.#organization.open().records(endpointEntity).get(this.id))?.record;
  }

  async status(): Promise<readonly unknown[]> {
    const { status, status_reason } = (await this.record()) ?? {};
    return [status, status_reason];
  }

  async state() {
    return (await readStates(this.#organization.open(), [this.id])).get(this.id);
  }

  /** Changes its state past the service. */
  setState(set: Partial<DeliveryState>): Promise<void> {
    return this.#organization.do(async (tenant) => {
      leases.stageLeased(
        tenant,
        { endpointId: this.id, token: undefined as never },
        { set },
        () => new Error('it is leased'),
      );
    });
  }

  /** Its failed calls, the oldest first. */
  async attempts() {
    const page = await attemptsOf(this.#organization.open(), this.id).page({
      page: 1,
      page_size: 100,
      sort: sortedBy('created_at'),
    });
    return page.records.map(({ record }) => record);
  }

  /** Changes it; it is confirmed, and called at once, where it becomes active. */
  change(fields: Partial<StoredEndpoint>): Promise<void> {
    return this.#organization.do(async (tenant) => {
      const stored = await tenant.records(endpointEntity).get(this.id);
      if (stored === undefined) throw new Error('it is gone');
      const { version } = await tenant.records(endpointEntity).update(stored, fields);
      if (fields.status !== 'active') return;
      stageFreshStart(tenant, this.id);
      stageRegistration(tenant, this.id, version);
    });
  }

  replay(next: number): Promise<void> {
    return this.#organization.do(async (tenant) => {
      const { generation } = await new JournalReader(tenant).end();
      stageReplay(tenant, this.id, { next, generation });
    });
  }
}

/** Keys by which secrets are encrypted. The environment is restored after each test file. */
async function useKeys(): Promise<void> {
  process.env.KEY_FILE ??= keyFile();
  await ensureLocalKeys(process.env.KEY_FILE);
}
