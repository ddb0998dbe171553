import { entity } from '#table';
import { identityProvider } from './contract.ts';

export const identityProviderEntity = entity('IDENTITY_PROVIDER', identityProvider, {
  json: ['required_claims'],
  audited: 'IdentityProvider',
});

/** Attribute of a provider: how many identities are of it. With any it is not deleted. */
export const IDENTITIES = 'IDENTITIES';
