import { invalidField } from '#contract';
import { environmentTargets, refusalOf } from '#outbound';

/** Segments of a path by which a provider means all of its tenants: anybody could make tokens of such an issuer. */
const SHARED = /\/(common|organizations|consumers)(\/|$)/i;

/**
 * Checks that an issuer is one tenant's of a provider, at an address that the service may call.
 * @throws Problem `invalid-body` that points at `issuer`
 */
export function checkIssuer(issuer: string): void {
  const refusal = /[{}]/.test(issuer)
    ? 'must not be a template: put the id of your tenant in place of the braces'
    : refusalOf(issuer, environmentTargets());
  if (refusal !== undefined) throw invalidField('issuer', refusal);
  if (SHARED.test(new URL(issuer).pathname))
    throw invalidField('issuer', 'must be of one tenant of the provider: put its id in place of the shared name');
  if (new URL(issuer).search !== '') throw invalidField('issuer', 'must have no query');
}
