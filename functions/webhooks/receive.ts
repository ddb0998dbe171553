import { createHash } from 'node:crypto';
import { Problem } from '../../shared/contract/problem.ts';
import { jsonOf } from '../../shared/http/json-text.ts';
import type { OpenInput } from '../../shared/http/operation.ts';
import { validBody } from '../../shared/http/validate.ts';
import { mayDo } from '../../shared/identity/caller.ts';
import { StaleRead } from '../../shared/table/errors.ts';
import type { DeduplicationStore } from '../../shared/table/repository/deduplication-store.ts';
import type { Repository } from '../../shared/table/repository/repository.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { delivery, MAX_WEBHOOK_BODY } from './contract.ts';
import { type Applied, applyEffect, type Effects } from './effects.ts';
import { sealData } from './event-data.ts';
import { checkAge, type EventHeaders, eventHeadersOf } from './headers.ts';
import { type Sender, senderOf } from './sender.ts';
import { eventEntity, RETENTION_DAYS, type SeenEvent, type StoredEvent } from './store.ts';
import { toleranceOf } from './tolerance.ts';

/**
 * Receives a delivery: who sent it, what it says, whether it was seen before, what it does. The event, the memory of its id and
 * its effect are staged together and commit in one transaction; a delivery that is refused leaves no trace.
 */

/** Longest remembered data, in characters of JSON; of longer data the hash is kept. */
const MAX_KEPT_DATA = 65_536;
const SECONDS_KEPT = (RETENTION_DAYS + 1) * 86_400;

interface Event {
  readonly headers: EventHeaders;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly bodySha256: string;
}

export async function receive(input: OpenInput, appCode: string, effects: Effects) {
  const { session, request } = input;
  if (request.bytes.length > MAX_WEBHOOK_BODY) {
    throw new Problem('content-too-large', { detail: `A delivery may have up to ${MAX_WEBHOOK_BODY} bytes.` });
  }
  const { signed, ...sender } = await senderOf(session, appCode, request);
  const { credentials, caller } = sender;
  const isActive = credentials.status === 'active';
  input.charge(caller, isActive ? 'own-and-tenant' : 'own');
  if (!isActive) throw new Problem('forbidden', { detail: 'The integration is inactive.' });
  const event = eventOf(input, sender, signed);
  const tenant = Tenant.ofCredentials(credentials, session);
  const seen = tenant.deduplication<SeenEvent>(`EVENT#${credentials.integration_id}`);

  // All of this begins at once, for each is a round of calls: whether the event was seen, its number, and what it does.
  const unseen = refuseSeen(seen, event);
  unseen.catch(() => undefined);
  const events = tenant.records(eventEntity);
  events.prepare();
  const applied = await apply(tenant, sender, event, effects).catch(async (error: unknown) => {
    await unseen;
    // Its own first delivery may have got in between: then a clash with what that one did is no clash.
    if (error instanceof Problem) await refuseSeen(seen, event);
    throw error;
  });
  await unseen;
  await keep(events, tenant, sender, event, applied);
  seen.remember(
    event.headers.eventId,
    { body_sha256: event.bodySha256 },
    SECONDS_KEPT,
    () => new StaleRead('seen meanwhile'),
  );
  return { body: { received: true, app: appCode, timestamp: session.timestamp } };
}

/**
 * @param bytes the body as it was signed, which may not be the one that was sent
 * @throws Problem when the headers or the body are not those of an event
 */
function eventOf({ request, session }: OpenInput, { credentials }: Sender, bytes: Buffer): Event {
  const headers = eventHeadersOf(request);
  checkAge(headers, toleranceOf(credentials.webhook_tolerance_seconds), session.now);
  const json = jsonOf({ headers: request.headers, bytes }, MAX_WEBHOOK_BODY);
  const { event_type, data } = validBody(delivery, json) as { event_type: string; data: Record<string, unknown> };
  const bodySha256 = createHash('sha256').update(JSON.stringify(json)).digest('hex');
  return { headers, type: event_type, data, bodySha256 };
}

/** @throws Problem `event-already-processed`, or `event-id-reused` when it was with another body */
async function refuseSeen(seen: DeduplicationStore<SeenEvent>, event: Event): Promise<void> {
  const before = await seen.recall(event.headers.eventId);
  if (before === undefined) return;
  throw new Problem(before.body_sha256 === event.bodySha256 ? 'event-already-processed' : 'event-id-reused');
}

/** Stages what the event does; an event type that means nothing here does nothing. */
async function apply(tenant: Tenant, { caller }: Sender, event: Event, effects: Effects): Promise<Applied | undefined> {
  const effect = effects.get(event.type);
  if (effect === undefined) return undefined;
  const { permission } = effect.route;
  if (permission !== undefined && !mayDo(caller, permission)) {
    throw new Problem('forbidden', { detail: `This event needs the permission ${permission}.` });
  }
  checkOrganization(tenant, event.data);
  return applyEffect(effect, event.data, { tenant, caller, session: tenant.session });
}

/**
 * An event acts in the tenant of its integration, and may say so.
 * @throws Problem `forbidden` when it names another organization
 */
function checkOrganization(tenant: Tenant, { org_id }: Event['data']): void {
  if (typeof org_id !== 'string' || org_id.toLowerCase() === tenant.orgId) return;
  throw new Problem('forbidden', {
    errors: [{ in: 'body', pointer: '#/data/org_id', detail: 'must be the organization of the integration' }],
  });
}

async function keep(
  events: Repository<StoredEvent>,
  tenant: Tenant,
  { credentials }: Sender,
  event: Event,
  applied: Applied | undefined,
): Promise<void> {
  const isShort = Buffer.byteLength(JSON.stringify(event.data)) <= MAX_KEPT_DATA;
  await events.create<'data'>(
    {
      integration_id: credentials.integration_id,
      app_code: credentials.app_code,
      event_id: event.headers.eventId,
      event_type: event.type,
      occurred_at: event.headers.occurredAt,
      received_at: tenant.session.timestamp,
      outcome: applied === undefined ? 'stored' : 'applied',
      operation: applied?.operation ?? null,
      record_id: applied?.recordId ?? null,
      body_sha256: event.bodySha256,
    },
    async ({ id }) => ({ data: isShort ? await sealData(event.data, tenant, id) : null }),
  );
}
