import { type Key, schema } from '@custodia/counted-lists';
import { StaleRead, type Tenant } from '#table';
import { stageHeld } from './held.ts';
import { alertKey, changeItem, inSeconds, readItem } from './items.ts';

/** How a ticket is named in responses, and by its episode. */
export interface Named {
  readonly ticket_id: string | null;
  readonly ticket_code: string | null;
}

/**
 * What is known of an alert of an integration, in one item by the digest of its fingerprint:
 *
 *     none ── fires ──▶ firing: it has a ticket ── is over ──▶ resolved ── fires ──▶ firing: a new ticket
 *      │ └─── is over ──▶ resolved: what fired before, and comes late, opens no ticket
 *      └───── fires in maintenance ──▶ held ── fires, or is due, after it ──▶ firing
 *
 * Each change is on condition of the `revision` that was read, so of two deliveries at once one opens the ticket.
 */
export interface Episode extends Named {
  readonly state: 'firing' | 'held' | 'resolved';
  /** When it began, as its sender said last, in epoch milliseconds; 0: never. */
  readonly starts_at: number;
  /** Up to when it was over, as its sender said; 0: never. */
  readonly ends_at: number;
  /** When it was found to be over, by the clock of the service. */
  readonly resolved_at: number;
  /** How often it came again while it was firing. */
  readonly repeats: number;
  /** Whether its ticket collects others, too. */
  readonly is_collected?: boolean;
  /** Until when it is held, and the fields of its ticket as JSON. */
  readonly held_until?: string;
  readonly fields?: string;
  readonly revision: number;
}

/** After so many days without a word an alert is forgotten, in seconds. */
const KEPT = 90 * 86_400;

/** The episodes of an alert: the open one, or else the last one. */
export class Episodes {
  readonly #tenant: Tenant;
  readonly #integrationId: string;
  readonly #digest: string;

  /** @param digest of its fingerprint */
  constructor(tenant: Tenant, integrationId: string, digest: string) {
    this.#tenant = tenant;
    this.#integrationId = integrationId;
    this.#digest = digest;
  }

  /**
   * Counts a repetition, where the alert is firing and did not begin later than is known: one write unit. It is
   * written at once, and may count twice where a response was lost.
   * @returns undefined where it is not so
   */
  repeat(startsAt: number): Promise<Episode | undefined> {
    const known = { equals: { state: 'firing' }, moreThan: { [schema.TTL]: this.#now, starts_at: startsAt - 1 } };
    return this.#change({}, known);
  }

  /** The same for one that began later than is known: it may have ended meanwhile, and its end is still to come. */
  moveStart({ revision }: Episode, startsAt: number): Promise<Episode | undefined> {
    return this.#change({ starts_at: startsAt, revision: revision + 1 }, { equals: { revision } });
  }

  async #change(set: Partial<Episode>, condition: NonNullable<Parameters<typeof changeItem>[2]['condition']>) {
    const kept = { ...set, [schema.TTL]: this.#now + KEPT };
    const item = await changeItem(this.#tenant, this.#key, { set: kept, add: { repeats: 1 }, condition });
    return item as Episode | undefined;
  }

  /** The episode, one that is forgotten as over. Strongly consistent. @returns undefined where there is none */
  async read(): Promise<Episode | undefined> {
    const item = await readItem(this.#tenant, this.#key);
    const isForgotten = item !== undefined && Number(item[schema.TTL]) <= this.#now;
    return (isForgotten ? { ...item, state: 'resolved', ends_at: 0 } : item) as Episode | undefined;
  }

  /**
   * Stages what becomes of an episode. The commit throws {@link StaleRead} where it has changed meanwhile.
   * @param found as read
   */
  stage(found: Episode | undefined, next: Omit<Episode, 'revision'>): void {
    const condition = found === undefined ? { exists: false } : { equals: { revision: found.revision } };
    const until = next.state === 'held' ? next.held_until : undefined;
    const expires = KEPT + (until === undefined ? this.#now : Math.ceil(Date.parse(until) / 1_000));
    const kept = { ...next, revision: (found?.revision ?? 0) + 1, [schema.TTL]: expires };
    const { id, session } = this.#tenant;
    session.changes.of(id).put({ ...this.#key, ...kept }, () => new StaleRead('the alert has changed'), condition);
    if (until !== undefined)
      stageHeld(this.#tenant, [this.#integrationId, until, this.#digest, String(kept.revision)], expires);
  }

  get #now(): number {
    return inSeconds(this.#tenant);
  }

  get #key(): Key {
    return alertKey(this.#tenant, this.#integrationId, this.#digest);
  }
}
