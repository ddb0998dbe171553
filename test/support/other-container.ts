import { randomUUID } from 'node:crypto';
import { environmentTable } from '../../shared/table/connection/client.ts';
import { openTenant } from './storage.ts';

/** More than a container remembers. */
const MANY = 1_001;

/** Has this process forget which ids it has stored or found, as another container would not know them. Writes nothing. */
export function forgetIds(): void {
  const ids = openTenant(environmentTable(), randomUUID()).deduplication<object>('OTHER');
  for (let index = 0; index < MANY; index++) ids.remember(randomUUID(), {}, 1, () => new Error('never committed'));
}
