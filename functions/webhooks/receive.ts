import { createHash } from 'node:crypto';
import { Problem } from '#contract';
import { type OpenInput, readBody, refuseSuspended } from '#http';
import { type DeduplicationStore, type Repository, StaleRead, Tenant } from '#table';
import { annotate } from '#telemetry';
import { sizeInWords } from '../../shared/words.ts';
import { delivery, MAX_WEBHOOK_BODY } from './contract.ts';
import { type Applied, applyEvent, type Effects } from './effects.ts';
import { checkAge, type EventHeaders, eventHeadersOf } from './headers.ts';
import { type Sender, senderOf } from './sender.ts';
import { encryptData, eventEntity, ignoredFields, RETENTION_DAYS, type SeenEvent, type StoredEvent } from './store.ts';

/**
 * Receives a delivery: verifies the sender, parses the event, checks that it is new, and applies its effect. The event,
 * its id in the deduplication store and its effect are committed in one transaction; a refused delivery writes nothing.
 */

/** Longest stored data, in bytes of JSON. Longer data is stored only as its hash. */
const MAX_KEPT_DATA = 65_536;
const SECONDS_KEPT = (RETENTION_DAYS + 1) * 86_400;

/** Tells a sender that its event changed nothing: perhaps its type is misspelled. */
const WITHOUT_EFFECT = {
  outcome: 'stored',
  reason:
    'No operation of this API has this event type, so the event changed nothing: it is stored for the ' +
    'organization to ' +
    'read. Event types with an effect are, for example, client.created and ticket.updated.',
} as const;

interface Event {
  readonly type: string;
  readonly headers: EventHeaders;
  readonly data: Record<string, unknown>;
  readonly bodySha256: string;
}

export async function receive(input: OpenInput, appCode: string, effects: Effects) {
  const { session, request } = input;
  if (request.bytes.length > MAX_WEBHOOK_BODY) {
    throw new Problem('content-too-large', { detail: `A delivery may have up to ${sizeInWords(MAX_WEBHOOK_BODY)}.` });
  }
  const { signed, ...sender } = await senderOf(session, appCode, request);
  const { credentials, suspension, caller } = sender;
  const tenant = Tenant.ofCredentials(credentials, session);
  annotate({ integration_id: caller.id, tenant: tenant.id });
  const isActive = credentials.status === 'active';
  input.charge(caller, isActive ? 'own-and-tenant' : 'own');
  if (!isActive) throw new Problem('forbidden', { detail: 'The integration is inactive.' });
  refuseSuspended(tenant, suspension);
  const event = eventOf(input, sender, signed);
  const seen = tenant.deduplication<SeenEvent>('EVENT', credentials.integration_id);

  // These are started in parallel, for each makes calls to DynamoDB: the check of the event id, the event's number, and
  // the effect.
  const unseen = refuseSeen(seen, event);
  unseen.catch(() => undefined);
  // A sender usually repeats a delivery soon, to the same container: checking first then avoids allocating numbers that
  // would have to be released.
  if (seen.isProbablyKnown(event.headers.eventId)) await unseen;
  const events = tenant.records(eventEntity);
  events.prepare();
  const applied = await applyEvent(event, effects, { tenant, caller }).catch(async (error: unknown) => {
    await unseen;
    // The conflict may be with an earlier attempt of this very delivery, committed meanwhile: then the event was
    // processed.
    if (error instanceof Problem) await refuseSeen(seen, event);
    throw error;
  });
  await unseen;
  await keep(events, tenant, sender, event, applied);
  seen.remember(
    event.headers.eventId,
    { body_sha256: event.bodySha256 },
    SECONDS_KEPT,
    () => new StaleRead('the event was processed meanwhile'),
  );
  const receipt = { received: true as const, app: appCode, timestamp: session.timestamp };
  return { body: applied === undefined ? { ...receipt, ...WITHOUT_EFFECT } : receipt };
}

/**
 * @param bytes the body as it was signed, which may differ in form from the body as sent
 * @throws Problem when headers or body are invalid
 */
function eventOf({ request, session }: OpenInput, { credentials }: Sender, bytes: Buffer): Event {
  const headers = eventHeadersOf(request);
  checkAge(headers, credentials.webhook_tolerance_seconds, session.now);
  const { json, fields } = readBody(delivery, { headers: request.headers, bytes }, MAX_WEBHOOK_BODY);
  const { event_type, data } = fields as { event_type: string; data: Record<string, unknown> };
  const bodySha256 = createHash('sha256').update(JSON.stringify(json)).digest('hex');
  return { headers, type: event_type, data, bodySha256 };
}

/** @throws Problem `event-already-processed`, or `event-id-reused` when the body was another */
async function refuseSeen(seen: DeduplicationStore<SeenEvent>, event: Event): Promise<void> {
  const before = await seen.recall(event.headers.eventId);
  if (before === undefined) return;
  throw before.body_sha256 === event.bodySha256 ? alreadyProcessed() : idReused();
}

const alreadyProcessed = (): Problem =>
  new Problem('event-already-processed', {
    detail: 'This event was already processed: there is no need to send it again.',
  });

const idReused = (): Problem =>
  new Problem('event-id-reused', {
    detail: 'Another event was processed under this X-Event-ID. This one was not: send it under an id of its own.',
  });

async function keep(
  events: Repository<StoredEvent>,
  tenant: Tenant,
  { credentials }: Sender,
  event: Event,
  applied: Applied | undefined,
): Promise<void> {
  const isShort = Buffer.byteLength(JSON.stringify(event.data)) <= MAX_KEPT_DATA;
  await events.create<'data'>({
    fields: {
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
      ignored_fields: ignoredFields(applied?.ignored ?? []),
    },
    deferred: async ({ id }) => ({ data: isShort ? await encryptData(event.data, tenant, id) : null }),
  });
}
