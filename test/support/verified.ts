import { environmentTable } from '#table';
import { endpointEntity } from '../../functions/events/store.ts';
import type { FreshTable } from './dynamodb.ts';
import { openTenant, tableAt } from './storage.ts';

/**
 * What only the receiver of a webhook endpoint is shown: the challenge of its last ping.
 * @param place of the table; by default that of the environment
 */
export const challengeOf = async (orgId: string, id: string, place?: FreshTable): Promise<string> =>
  (
    await openTenant(place === undefined ? environmentTable() : tableAt(place), orgId)
      .records(endpointEntity)
      .get(id)
  )?.record.challenge ?? '';
