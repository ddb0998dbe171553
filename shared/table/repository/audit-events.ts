import type { Actor } from '../../identity/actor.ts';
import type { Session } from '../session.ts';
import { entity } from './entity.ts';
import type { RecordObserver, Repository } from './repository.ts';

/**
 * The trail of who did what (`docs/decisions/0075-audit-events.md`). Collections of audited records stage an event with each creation and
 * change, so that both are in one transaction. Nothing changes or deletes an event: it expires.
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
  /** Names, never values. */
  readonly changed_fields: readonly string[];
  readonly failures: number | null;
  readonly request_id: string | null;
  readonly source_address: string | null;
}

const STANDARD_RETENTION = 400;

/** `AUDIT_RETENTION_DAYS`, as it is when the function starts; unset or no whole number from 1 on: {@link STANDARD_RETENTION}. */
const retentionDays = (): number => {
  const days = process.env.AUDIT_RETENTION_DAYS ?? '';
  return /^[1-9]\d{0,3}$/.test(days) ? Number(days) : STANDARD_RETENTION;
};

export const auditEventEntity = entity<AuditEvent, 'actor_id' | 'record_id'>('AUDIT_EVENT', {
  filters: ['actor_id', 'record_id'],
  retentionDays: retentionDays(),
});

/** Stages audit events of records of one kind. */
export interface AuditTrail extends RecordObserver {
  /** That something was refused to whoever tried to be this integration, for so many times today. */
  readonly refused: (id: string, failures: number) => Promise<void>;
}

export const auditTrail = (
  events: Repository<AuditEvent>,
  session: Session,
  recordType: AuditEvent['record_type'],
): AuditTrail => {
  const told = () => ({ ...toldBy(session), record_type: recordType });
  return {
    created: async (place, changed_fields) => {
      await events.create<'record_id'>({ ...told(), changed_fields, failures: null }, async () => ({
        record_id: (await place).id,
      }));
    },
    changed: async (record_id, changed_fields) => {
      await events.create({ ...told(), record_id, changed_fields, failures: null });
    },
    refused: async (record_id, failures) => {
      await events.create({ ...told(), record_id, changed_fields: [], failures });
    },
  };
};

/** @throws Error where nobody has said who asks: such a change is not made */
function toldBy(session: Session) {
  const { origin, timestamp } = session;
  if (origin === undefined) throw new Error('an audited record is changed, and nobody is known to have asked for it');
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
