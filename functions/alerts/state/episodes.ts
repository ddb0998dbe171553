import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, retry, schema, updateRequest } from '@custodia/counted-lists';
import { StaleRead, type Tenant, tenantKey } from '#table';
import type { Alert } from '../alert.ts';

/**
 * What is known of an alert of an integration, in one item by the digest of its fingerprint:
 *
 *     none ── fires ──▶ firing: it has a ticket ── is over ──▶ resolved ── fires ──▶ firing: a new ticket
 *      └──── is over ──▶ resolved: what fired before, and comes late, opens no ticket
 *
 * Each change is on condition of the `revision` that was read, so of two deliveries at once one opens the ticket.
 */
export interface Episode {
  readonly state: 'firing' | 'resolved';
  /** When it began, as its sender said last, in epoch milliseconds; 0: never. */
  readonly starts_at: number;
  /** Up to when it was over, as its sender said; 0: never. */
  readonly ends_at: number;
  /** When it was found to be over, by the clock of the service. */
  readonly resolved_at: number;
  readonly ticket_id: string | null;
  readonly ticket_code: string | null;
  /** How often it came again while it was firing. */
  readonly repeats: number;
  readonly revision: number;
}

/** After so many days without a word an alert is forgotten, in seconds. */
const KEPT = 90 * 86_400;

/** The key of an alert of an integration. */
const keyOf = ({ id }: Tenant, integrationId: string, { digest }: Pick<Alert, 'digest'>): Key =>
  tenantKey(id, 'ALERT', `${integrationId}#${digest}`);

/** The episodes of an alert: the open one, or else the last one. */
export class Episodes {
  readonly #tenant: Tenant;
  readonly #key: Key;

  constructor(tenant: Tenant, integrationId: string, alert: Pick<Alert, 'digest'>) {
    this.#tenant = tenant;
    this.#key = keyOf(tenant, integrationId, alert);
  }

  /**
   * Counts a repetition, where the alert is firing and did not begin later than is known: one write unit. It is
   * written at once, and may count twice where a response was lost.
   * @returns undefined where it is not so
   */
  async repeat(startsAt: number): Promise<Episode | undefined> {
    const known = { equals: { state: 'firing' }, moreThan: { [schema.TTL]: this.#seconds, starts_at: startsAt - 1 } };
    return this.#raise({ set: {}, condition: known });
  }

  /** The same for one that began later than is known: it may have ended meanwhile, and its end is still to come. */
  async moveStart(found: Episode, startsAt: number): Promise<Episode | undefined> {
    const condition = { equals: { state: 'firing', revision: found.revision } };
    return this.#raise({ set: { starts_at: startsAt, revision: found.revision + 1 }, condition });
  }

  async #raise({ set, condition }: Required<Pick<Parameters<typeof updateRequest>[1], 'set' | 'condition'>>) {
    const { client, name } = this.#table;
    const kept = { ...set, [schema.TTL]: this.#seconds + KEPT };
    const request = updateRequest(name, { key: this.#key, set: kept, add: { repeats: 1 }, condition });
    try {
      const send = () => client.send(new UpdateCommand({ ...request, ReturnValues: 'ALL_NEW' }));
      return (await retry(send, this.#tenant.session)).Attributes as Episode | undefined;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }

  /** The episode, one that is forgotten as over. Strongly consistent. @returns undefined where there is none */
  async read(): Promise<Episode | undefined> {
    const { client, name } = this.#table;
    const command = new GetCommand({ TableName: name, Key: { ...this.#key }, ConsistentRead: true });
    const { Item: item } = await retry(() => client.send(command), this.#tenant.session);
    const isForgotten = item !== undefined && Number(item[schema.TTL]) <= this.#seconds;
    return (isForgotten ? { ...item, state: 'resolved', ends_at: 0 } : item) as Episode | undefined;
  }

  /**
   * Stages what becomes of an episode. The commit throws {@link StaleRead} where it has changed meanwhile.
   * @param found as read
   */
  stage(found: Episode | undefined, next: Omit<Episode, 'revision'>): void {
    const condition = found === undefined ? { exists: false } : { equals: { revision: found.revision } };
    const item = { ...this.#key, ...next, revision: (found?.revision ?? 0) + 1, [schema.TTL]: this.#seconds + KEPT };
    const { id, session } = this.#tenant;
    session.changes.of(id).put(item, () => new StaleRead('the alert has changed'), condition);
  }

  get #table() {
    return this.#tenant.session.tables.of(this.#tenant.id);
  }

  get #seconds(): number {
    return Math.floor(this.#tenant.session.now / 1000);
  }
}
