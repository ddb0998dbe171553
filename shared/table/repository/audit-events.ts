import type { Actor } from '#identity';
import type { RequestSession } from '../session/request-session.ts';
import { entity, type RecordObserver, set } from './entity.ts';
import type { Repository } from './repository.ts';

/**
 * The audit log (`docs/decisions/0075-audit-events.md`). Repositories of audited records stage an event with each
 * creation and change, in the same transaction. Events are never changed or deleted; they expire.
 */
export interface AuditEvent {
  readonly id: string;
  readonly occurred_at: string;
  readonly operation: string;
  readonly actor_type: Actor['type'];
  readonly actor_id: string | null;
  readonly actor_app_code: string | null;
  readonly actor_name: string | null;
  readonly record_type: string;
  readonly record_id: string;
  /** Names of fields, never values. */
  readonly changed_fields: readonly string[];
  readonly failures: number | null;
  /** The operation that was refused. */
  readonly attempted_operation: string | null;
  /** Requests of the day that could show credentials. */
  readonly reads: number | null;
  readonly shown_count: number | null;
  /** The ids of the first ten records. */
  readonly shown_ids: readonly string[] | null;
  readonly request_id: string | null;
  readonly source_address: string | null;
}

const STANDARD_RETENTION = 400;

/** `AUDIT_RETENTION_DAYS` at the function's start; {@link STANDARD_RETENTION} where it is no whole number from 1. */
const retentionDays = (): number => {
  const days = process.env.AUDIT_RETENTION_DAYS ?? '';
  return /^[1-9]\d{0,3}$/.test(days) ? Number(days) : STANDARD_RETENTION;
};

export const auditEventEntity = entity<AuditEvent>('AUDIT_EVENT', {
  indexes: [set('actor_id'), set('record_id')],
  createdAt: 'occurred_at',
  retentionDays: retentionDays(),
  ofClient: null,
});

/** Most ids of a page in one event. */
const MOST_IDS = 10;

/** Fields that most events do not have. */
const NOTHING_ELSE = { failures: null, attempted_operation: null, reads: null, shown_count: null, shown_ids: null };

/** Stages audit events of records of one kind. */
export class AuditLog {
  readonly #events: Repository<AuditEvent>;
  readonly #recordType: string;

  constructor(events: Repository<AuditEvent>, recordType: string) {
    this.#events = events;
    this.#recordType = recordType;
  }

  /** Begins to allocate the number of the next event in advance. */
  prepare(): void {
    this.#events.prepare();
  }

  /** A record was created or deleted, or these of its fields were changed. */
  changed(id: string | Promise<string>, fields: readonly string[]): Promise<void> {
    return this.#stage(id, { changed_fields: fields });
  }

  /** A refused login, signature or escalation of an integration, with how many there were today, and what was tried. */
  refused(id: string, failures: number, attempted: string | null = null): Promise<void> {
    return this.#stage(id, { failures, attempted_operation: attempted });
  }

  /** These records' credentials were shown, with today's number of such requests. */
  read(ids: readonly string[], reads: number): Promise<void> {
    return this.#stage(ids[0] ?? '', { reads, shown_count: ids.length, shown_ids: ids.slice(0, MOST_IDS) });
  }

  async #stage(id: string | Promise<string>, what: Partial<AuditEvent>): Promise<void> {
    const common = { ...originOf(this.#events.session), record_type: this.#recordType, changed_fields: [] };
    await this.#events.create<'record_id'>({
      fields: { ...common, ...NOTHING_ELSE, ...what },
      deferred: async () => ({ record_id: await id }),
    });
  }
}

/** @param only the fields whose creations and changes leave an event, which names no others; undefined: all */
export const auditing =
  (log: AuditLog, only: readonly string[] | undefined): RecordObserver =>
  async ({ id, fields }) => {
    const named = only === undefined ? fields : fields.filter((field) => only.includes(field));
    if (only === undefined || named.length > 0) await log.changed(id, named);
    return {};
  };

/** @throws Error when the session has no origin: changes of audited records need one */
function originOf(session: RequestSession) {
  const {
    audit: { origin },
    timestamp,
  } = session;
  if (origin === undefined) throw new Error('an audited record cannot be changed in a session without an origin');
  const { actor, operation, requestId, sourceAddress } = origin;
  return {
    occurred_at: timestamp,
    operation,
    actor_type: actor.type,
    actor_id: 'id' in actor ? actor.id : null,
    actor_app_code: actor.type === 'integration' ? actor.appCode : null,
    actor_name: actor.type === 'user' ? actor.name : null,
    request_id: requestId,
    source_address: sourceAddress,
  };
}
