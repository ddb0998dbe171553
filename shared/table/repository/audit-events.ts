import type { Actor } from '../../identity/actor.ts';
import type { Session } from '../session.ts';
import { entity } from './entity.ts';
import type { RecordObserver, Repository } from './repository.ts';

/**
 * The audit trail (`docs/decisions/0075-audit-events.md`). Repositories of audited records stage an event with each creation and change, in
 * the same transaction. Events are never changed or deleted; they expire.
 */
export interface AuditEvent {
  readonly id: string;
  readonly occurred_at: string;
  readonly operation: string;
  readonly actor_type: Actor['type'];
  readonly actor_id: string | null;
  readonly actor_app_code: string | null;
  readonly record_type: string;
  readonly record_id: string;
  /** Names of fields, never values. */
  readonly changed_fields: readonly string[];
  readonly failures: number | null;
  readonly request_id: string | null;
  readonly source_address: string | null;
}

const STANDARD_RETENTION = 400;

/** `AUDIT_RETENTION_DAYS` at the function's start; {@link STANDARD_RETENTION} where that is not a whole number from 1 on. */
const retentionDays = (): number => {
  const days = process.env.AUDIT_RETENTION_DAYS ?? '';
  return /^[1-9]\d{0,3}$/.test(days) ? Number(days) : STANDARD_RETENTION;
};

export const auditEventEntity = entity<AuditEvent, 'actor_id' | 'record_id'>('AUDIT_EVENT', {
  filters: ['actor_id', 'record_id'],
  createdAt: 'occurred_at',
  retentionDays: retentionDays(),
});

/** Stages audit events of records of one kind. */
export interface AuditTrail extends RecordObserver {
  /** Begins to take the number of the next event in advance. */
  readonly prepare: () => void;
  /** A refused login or signature of an integration, with how many there were today. */
  readonly refused: (id: string, failures: number) => Promise<void>;
}

export const auditTrail = (
  events: Repository<AuditEvent>,
  session: Session,
  recordType: AuditEvent['record_type'],
): AuditTrail => {
  const common = () => ({ ...originOf(session), record_type: recordType });
  return {
    prepare: () => events.prepare(),
    created: async (place, changed_fields) => {
      await events.create<'record_id'>({ ...common(), changed_fields, failures: null }, async () => ({
        record_id: (await place).id,
      }));
    },
    changed: async (record_id, changed_fields) => {
      await events.create({ ...common(), record_id, changed_fields, failures: null });
    },
    refused: async (record_id, failures) => {
      await events.create({ ...common(), record_id, changed_fields: [], failures });
    },
  };
};

/** @throws Error when the session has no origin: changes of audited records need one */
function originOf(session: Session) {
  const { origin, timestamp } = session;
  if (origin === undefined) throw new Error('an audited record cannot be changed in a session without an origin');
  const { actor, operation, requestId, sourceAddress } = origin;
  const isIntegration = actor.type === 'integration';
  return {
    occurred_at: timestamp,
    operation,
    actor_type: actor.type,
    actor_id: isIntegration ? actor.integrationId : null,
    actor_app_code: isIntegration ? actor.appCode : null,
    request_id: requestId,
    source_address: sourceAddress,
  };
}
