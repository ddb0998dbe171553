import type { Command } from 'commander';
import { type IdentityProvider, identityProvider } from '../../functions/identity-providers/contract.ts';
import { changeIdentityProvider } from '../../functions/identity-providers/operations.ts';
import { identityProviderEntity } from '../../functions/identity-providers/store.ts';
import { asOperator } from '../as-operator.ts';
import { command, type Declare } from '../command.ts';
import { OperatorProblem } from '../problem.ts';
import { openTenant } from '../tenant-option.ts';

/**
 * The identity providers of an organization in an incident: without a token, under the cut-off role. Everything else
 * about them is done by the API.
 */

const OF_ORGANIZATION = { role: 'CutOffRoleArn', opens: 'organization' } as const;

export const identityProviderCommands: readonly Declare[] = [
  command({
    name: 'identity-providers list',
    description: 'List the identity providers of an organization, the oldest first',
    ...OF_ORGANIZATION,
    examples: ['identity-providers list --org acme --outputs outputs.json'],
    run: async (_, org) => {
      const listed: IdentityProvider[] = [];
      for await (const { record } of (await openTenant(org)).records(identityProviderEntity).all()) listed.push(record);
      const lines = listed.map(({ id, status, issuer }) => `${id}  ${status.padEnd(8)}  ${issuer}`);
      return { value: listed, lines: [...lines, `Identity providers: ${listed.length}.`] };
    },
  }),
  command<{ readonly id: string }>({
    name: 'identity-providers disable',
    description: 'Set an identity provider inactive: nobody signs in through it, and tokens of those who did end',
    ...OF_ORGANIZATION,
    options: (declared: Command) => declared.requiredOption('--id <id>', 'id of the identity provider'),
    examples: [
      'identity-providers disable --org acme --id 4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38 --outputs outputs.json',
    ],
    run: async ({ id }, org) => {
      const changed = await disable(org, id);
      const line = changed ? `${id} is inactive, and tokens through it have ended.` : `${id} was inactive already.`;
      return { value: { org_id: org, id, changed, status: 'inactive' }, lines: [line] };
    },
  }),
];

/** @returns whether it was active. @throws OperatorProblem where the organization has no such provider */
const disable = (org: string, id: string): Promise<boolean> =>
  asOperator('disableIdentityProvider', org, async (tenant) => {
    const stored = await tenant.records(identityProviderEntity).get(id);
    if (stored === undefined) throw new OperatorProblem(`${org} has no ${identityProvider.name} ${id}.`);
    if (stored.record.status === 'inactive') return false;
    await changeIdentityProvider(tenant, stored, { status: 'inactive' });
    return true;
  });
