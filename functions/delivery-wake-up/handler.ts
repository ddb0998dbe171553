import type { DynamoDBStreamEvent } from 'aws-lambda';
import { environmentQueue } from '../events/deliveries/queue.ts';
import { tenantOfJournal } from '../events/state/register.ts';

/**
 * Wakes the endpoints of each tenant in whose journal there is something new: one message for each, however many events
 * there are. It reads no table, and writes no key into the log. The table's stream wakes only, because it keeps no
 * order across items (`docs/decisions/0201-events.md`).
 * @throws where the queue cannot be reached; Lambda runs it again then
 */
export async function handler(event: DynamoDBStreamEvent): Promise<void> {
  const tenants = new Set((event.Records ?? []).flatMap((record) => tenantOf(record.dynamodb?.Keys?.PK?.S) ?? []));
  if (tenants.size > 0) await environmentQueue().send(Array.from(tenants, (tenant) => ({ tenant })));
}

/** Undefined for what is no journal: the stream's filter may let more through than it should. */
const tenantOf = (partition: unknown): string | undefined =>
  typeof partition === 'string' ? tenantOfJournal(partition) : undefined;
