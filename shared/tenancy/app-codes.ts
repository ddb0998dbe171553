import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { PLATFORM, type RequestSession } from '#table';
import { keepNewest } from '../memory.ts';
import { isUuid } from '../well-formed.ts';
import { appKey } from './keys.ts';
import { type Credentials, type Holder, readCredentials } from './stored-credentials.ts';
import { readSuspensionOf, type Suspension } from './suspensions.ts';

/**
 * Integrations by their app code, before their tenant is known. A pointer names the tenant of an app code; it is put
 * once and never changes (`docs/decisions/0012`), so a container reads it once. Unknown codes are not cached: they may
 * be registered a moment later.
 */

/** An integration's current state. */
export interface FoundIntegration {
  readonly credentials: Credentials;
  /** Undefined: its organization is not suspended. Eventually consistent. */
  readonly suspension: Suspension | undefined;
}

/** Entries by app code, of about 300 bytes each, the least recently used first. */
const known = new Map<string, Holder>();
const MOST_KNOWN = 5_000;

/** The tenant whose credentials are read for an unknown app code, so that it takes the same reads as a known one. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Finds an integration, in one round trip where this container knows the app code, else in two.
 * @returns undefined where there is none
 * @example const { credentials, suspension } = (await findIntegration(session, 'acme-billing')) ?? {};
 */
export async function findIntegration(
  { tables: { environment: table } }: RequestSession,
  appCode: string,
): Promise<FoundIntegration | undefined> {
  const kept = known.get(appCode);
  const found = kept && (await readBeside(table, kept));
  if (kept !== undefined && found !== undefined) return keep(kept, found);
  // Its organization was erased; another may have registered the code since.
  known.delete(appCode);
  const holder = await readPointer(table, appCode);
  const integration = await readBeside(table, holder ?? { orgId: NOBODY, appCode });
  return holder === undefined || integration === undefined ? undefined : keep(holder, integration);
}

function keep(holder: Holder, found: FoundIntegration): FoundIntegration {
  keepNewest(known, holder.appCode, holder, MOST_KNOWN);
  return found;
}

/**
 * The tenant in which an app code is registered; undefined where it is in none. Strongly consistent, because a new
 * integration logs in at once. Ignores a pointer to anything but a tenant.
 */
export async function readPointer(table: Table, appCode: string): Promise<Holder | undefined> {
  const { Item: { tenant } = {} } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...appKey(appCode) }, ConsistentRead: true }),
  );
  if (tenant === PLATFORM) return { orgId: null, appCode };
  return isUuid(tenant) ? { orgId: String(tenant), appCode } : undefined;
}

async function readBeside(table: Table, holder: Holder): Promise<FoundIntegration | undefined> {
  const [credentials, suspension] = await Promise.all([
    readCredentials(table, holder),
    holder.orgId === null ? undefined : readSuspensionOf(table, holder.orgId),
  ]);
  return credentials && { credentials, suspension };
}
