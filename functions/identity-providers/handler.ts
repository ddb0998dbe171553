import { pipeline } from '#http';
import { identityProviders } from './contract.ts';
import { identityProviderOperations } from './operations.ts';

export const handler = pipeline(identityProviders, identityProviderOperations);
