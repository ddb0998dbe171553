import { randomUUID } from 'node:crypto';
import { environmentTable, type RequestSession } from '#table';
import { findIntegration } from '#tenancy';
import { openTenant } from './storage.ts';

/** More than a container remembers. */
const MANY = 1_001;

/** Makes this process forget the ids that it has stored or found, like another container. Writes nothing. */
export function forgetIds(): void {
  const ids = openTenant(environmentTable(), randomUUID()).deduplication<object>('EVENT', randomUUID());
  for (let index = 0; index < MANY; index++) ids.remember(randomUUID(), {}, 1, () => new Error('never committed'));
}

/** More app codes than a container remembers. */
const MANY_CODES = 5_001;

/** Makes this process forget the tenants of app codes. Sends nothing. */
export async function forgetAppCodes(): Promise<void> {
  const client = { send: async () => ({ Item: { tenant: 'PLATFORM' } }) };
  const session = { tables: { environment: { name: 'other', client } } } as unknown as RequestSession;
  for (let index = 0; index < MANY_CODES; index++) await findIntegration(session, randomUUID());
}
