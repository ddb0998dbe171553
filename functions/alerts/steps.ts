import { StaleRead } from '#table';
import { logger } from '#telemetry';
import type { Alert } from './alert.ts';
import type { OUTCOMES } from './contract.ts';
import { heldUntil } from './maintenance.ts';
import { type Mapping, stillThere } from './references.ts';
import { type Episode, Episodes, type Named } from './state/episodes.ts';
import { countAlert, type Hour, readHour, stageCollector } from './state/hours.ts';
import { closeTicket, openTicket, type Sender, type TicketFields, ticketOf, writeMessage } from './ticket.ts';

/** What becomes of one alert. Each step stages its writes, and may run twice. */

export type Outcome = (typeof OUTCOMES)[number];
export type Done = Named & { readonly outcome: Outcome };

export const NO_TICKET: Named = { ticket_id: null, ticket_code: null };

const done = (outcome: Outcome, { ticket_id, ticket_code }: Named): Done => ({ outcome, ticket_id, ticket_code });

/** Subjects of alerts of a request whose ticket collects them, by its id, and how many there were in the hour. */
export type Collected = Map<string, { readonly subjects: string[]; readonly count: number }>;

/** What comes late does so within this time, in milliseconds: senders give up sooner. */
const LATE_WITHIN = 15 * 60_000;

/** Carries out alerts, one in each. */
export class Step {
  readonly #sender: Sender;
  readonly #collected: Collected;
  readonly #episodes: Episodes;
  #hour: Hour | undefined;
  #added: { readonly id: string; readonly subject: string; readonly count: number } | undefined;

  constructor(sender: Sender, collected: Collected, digest: string) {
    this.#sender = sender;
    this.#collected = collected;
    this.#episodes = new Episodes(sender.tenant, sender.caller.id, digest);
  }

  async fire(alert: Alert, mapping: () => Promise<Mapping>): Promise<Done> {
    const { startsAt } = alert;
    const repeated = await this.#episodes.repeat(startsAt);
    if (repeated !== undefined) return done('repeated', repeated);
    const found = await this.#episodes.read();
    const isHeld = found !== undefined && this.#isHeld(found);
    if (found?.state === 'firing' || isHeld) {
      if (startsAt > found.starts_at && !(await this.#episodes.moveStart(found, startsAt)))
        throw new StaleRead('the alert has changed');
      return done(isHeld ? 'held' : 'repeated', found);
    }
    const { serverTime } = this.#sender.tenant;
    const isRecent = found !== undefined && Math.abs(serverTime - found.resolved_at) < LATE_WITHIN;
    const isLate = isRecent && startsAt <= found.ends_at;
    if (isLate && startsAt > 0) return done('ignored', found);
    return this.#begin(await ticketOf(this.#sender.tenant, alert, await mapping(), found), found, startsAt);
  }

  async resolve({ startsAt, endsAt }: Alert): Promise<Done> {
    const found = await this.#episodes.read();
    // An alert that is over without a time is so at its beginning at least: then that comes no more.
    const ends_at = Math.max(endsAt, found?.starts_at ?? 0, found?.ends_at ?? 0);
    const over = { state: 'resolved', ends_at, resolved_at: this.#sender.tenant.serverTime } as const;
    if (found === undefined || found.state === 'resolved') {
      // What fired before may still come.
      const unknown = { ...NO_TICKET, starts_at: startsAt, repeats: 0 };
      if (endsAt > (found?.ends_at ?? 0)) this.#episodes.stage(found, { ...unknown, ...found, ...over });
      return done('ignored', found ?? NO_TICKET);
    }
    if (endsAt > 0 && endsAt < found.starts_at) return done('ignored', found);
    if (found.ticket_id !== null && found.state === 'firing' && !found.is_collected)
      await closeTicket(this.#sender, found.ticket_id);
    const { fields: _, held_until: __, ...kept } = found;
    this.#episodes.stage(found, { ...kept, ...over });
    return done('resolved', found);
  }

  /** Looks at an alert that was held until then: it may have fired, ended or been held since, or not be over. */
  async lookAt(until: string): Promise<Done> {
    const found = await this.#episodes.read();
    if (found?.state !== 'held' || found.held_until !== until) return done('ignored', found ?? NO_TICKET);
    const fields = JSON.parse(found.fields ?? '{}') as TicketFields;
    const named = await stillThere(this.#sender.tenant, fields);
    return this.#begin({ ...fields, ...named }, found, found.starts_at);
  }

  #isHeld({ state, held_until }: Episode): boolean {
    return state === 'held' && Date.parse(String(held_until)) > this.#sender.tenant.serverTime;
  }

  async #begin(fields: TicketFields, found: Episode | undefined, starts_at: number): Promise<Done> {
    const { tenant } = this.#sender;
    const begun = { starts_at, ends_at: found?.ends_at ?? 0, resolved_at: 0, repeats: 0 };
    const held_until = await heldUntil(tenant, fields);
    if (held_until !== undefined) {
      const held = { ...fields, description: fields.description.slice(0, MOST_HELD).toWellFormed() };
      this.#episodes.stage(found, { ...NO_TICKET, ...begun, state: 'held', held_until, fields: JSON.stringify(held) });
      return done('held', NO_TICKET);
    }
    const { ticket, isCollected } = await this.#ticketFor(fields);
    this.#episodes.stage(found, { ...ticket, ...begun, state: 'firing', ...(isCollected && { is_collected: true }) });
    return done(isCollected ? 'collected' : 'opened', ticket);
  }

  /** Its own ticket, or the one that collects what is too much. */
  async #ticketFor(fields: TicketFields): Promise<{ ticket: Named; isCollected: boolean }> {
    const { tenant, caller } = this.#sender;
    const hour = await (this.#hour === undefined ? countAlert(tenant, caller.id) : readHour(tenant, caller.id));
    this.#hour = hour;
    const { count, ...known } = hour;
    if (count <= MOST_AN_HOUR) return { ticket: await openTicket(this.#sender, fields), isCollected: false };
    const isFirst = known.ticket_id === null;
    const ticket = isFirst ? await openTicket(this.#sender, { ...STORM, contact_id: fields.contact_id }) : known;
    if (isFirst) stageCollector(tenant, caller.id, ticket);
    this.#added = { id: String(ticket.ticket_id), subject: fields.subject, count };
    return { ticket, isCollected: true };
  }

  /** Notes that the ticket of others has it, once that is committed. */
  noteCollected({ outcome }: Done): void {
    if (outcome !== 'collected' || this.#added === undefined) return;
    const { id, subject, count } = this.#added;
    const known = this.#collected.get(id) ?? { subjects: [], count };
    known.subjects.push(subject);
    this.#collected.set(id, { ...known, count: Math.max(known.count, count) });
  }
}

/** Characters of a description that are kept with an alert that is held, whose item has a KB. */
const MOST_HELD = 200;

/** New tickets of an integration in an hour. */
export const MOST_AN_HOUR = 100;

/** Alerts of an hour up to which requests list those that they have added. */
const MOST_LISTED = 1_000;

const STORM: Omit<TicketFields, 'contact_id'> = {
  subject: `More than ${MOST_AN_HOUR} alerts in an hour`,
  description: 'Further alerts of this hour have no tickets of their own. Messages list the first of them.',
  ...{ priority: 'urgent', client_id: null, service_id: null, resource_id: null },
};

/** Lists what a request has added to the ticket that collects it, in one message. Best effort. */
export async function listCollected(sender: Sender, collected: Collected): Promise<void> {
  for (const [id, { subjects, count }] of collected) {
    if (count > MOST_LISTED) continue;
    const text = `${count} alerts in this hour, with these:\n${subjects.join('\n')}`;
    await writeMessage(sender, id, text).catch((error: unknown) => {
      logger.warn('the alerts of a storm were not listed', { error: error as Error });
    });
  }
}
