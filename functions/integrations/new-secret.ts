import { invalidField } from '#contract';
import { type Caller, commonTo, type Permissions } from '#identity';
import { StaleRead, Tenant } from '#table';
import { readCredentialsOf, readHeldByUser, requireCredentials, requireUserAccess } from '#tenancy';
import * as integrationSecrets from './secrets.ts';

/** A new secret of an integration, and who knows it. */

/**
 * The supplied secret, if it is strong enough, or a generated one.
 * @throws Problem `invalid-body` that points at `secret`
 */
export async function chosenSecret(supplied: string | undefined, appCode: string): Promise<string> {
  if (supplied === undefined) return integrationSecrets.generate();
  if (await integrationSecrets.isStrong(supplied, appCode)) return supplied;
  throw invalidField('secret', 'is too easy to guess: leave it out to have one made');
}

/**
 * The permissions that the caller has now, in the scope of its token, which may not be those that the gateway knows
 * of. Stages the condition that they are the same at commit; otherwise the operation is run again.
 */
export async function presentPermissions(tenant: Tenant, caller: Caller): Promise<Permissions> {
  if (caller.type === 'user') {
    const held = await readHeldByUser(tenant, caller);
    if (held === undefined) return [];
    requireUserAccess(tenant, caller, held, () => new StaleRead('the permissions of the caller have changed'));
    return held;
  }
  const credentials = await readCredentialsOf(Tenant.of(caller, tenant.session), caller.appCode);
  if (credentials === undefined) return [];
  const { permissions } = credentials;
  requireCredentials(tenant, caller, { equals: { permissions } }, () => {
    return new StaleRead('the permissions of the caller have changed');
  });
  return commonTo(permissions, caller.scope);
}
