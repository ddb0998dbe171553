import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredSecret } from '../auth/integration-secrets.ts';
import type { Table } from './client.ts';
import { NotUnique, StaleRead } from './errors.ts';
import { appKey, type TenantId } from './keys.ts';
import type { Session } from './session.ts';

/**
 * What must be known of an integration before its tenant is: found by its app code, which is unique everywhere. The integration's
 * own record is in its tenant; the two change in one transaction (`docs/decisions/0012`).
 */
export interface Credentials {
  readonly app_code: string;
  readonly tenant: TenantId;
  readonly integration_id: string;
  readonly status: 'active' | 'inactive';
  /** Permission codes; null: all of the tenant. */
  readonly permissions: readonly string[] | null;
  /** One, or two while a new one is brought in. */
  readonly secrets: readonly StoredSecret[];
}

/** The credentials of an app code as they are now: one strongly consistent `GetItem`, for they may just have been cut off. */
export async function readCredentials(table: Table, appCode: string): Promise<Credentials | undefined> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...appKey(appCode) }, ConsistentRead: true }),
  );
  // Written by `stageCredentials` only.
  return item as Credentials | undefined;
}

/** Stages new credentials. The commit throws {@link NotUnique} when another integration anywhere has the app code. */
export function stageCredentials(session: Session, credentials: Credentials): void {
  session.work.put({ ...appKey(credentials.app_code), ...credentials }, () => new NotUnique('app_code'));
}

/** Stages a change of an integration's credentials. The commit throws {@link StaleRead} when they are another's by now. */
export function stageCredentialsChange(
  session: Session,
  integration: { readonly id: string; readonly app_code: string },
  changes: Partial<Pick<Credentials, 'status' | 'permissions' | 'secrets'>>,
): void {
  session.work.update(appKey(integration.app_code), {
    set: changes,
    expect: { exists: true, equals: { integration_id: integration.id } },
    refuse: () => new StaleRead('the credentials have changed'),
  });
}
