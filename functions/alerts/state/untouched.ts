import { schema } from '@custodia/counted-lists';
import { StaleRead, type Stored, type Tenant } from '#table';
import { CHILDREN } from '#table/storage';
import type { StoredTicket } from '../../tickets/store.ts';

/** Whether a ticket is as it was opened, without messages and attachments. */
export const isUntouched = ({ version, item }: Stored<StoredTicket>): boolean => version === 1 && !item[CHILDREN];

/** Stages the condition that no message or attachment was added since a ticket was read. */
export const requireNothingAdded = ({ id, session }: Tenant, { item }: Stored<StoredTicket>): void =>
  session.changes.of(id).update(schema.keyIn(item), {
    condition: { equals: { [CHILDREN]: item[CHILDREN] } },
    onConditionFailed: () => new StaleRead('somebody has written a message'),
  });
