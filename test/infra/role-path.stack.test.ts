import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import type { TenantRights } from '../../infra/rights.ts';
import { functionsWith, type KeyPurpose, type RoleHolder, rolePath, rolesFor } from '../../infra/roles/role.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { StageStack } from '../../infra/stacks/stage-stack.ts';
import { isLike } from './account/iam.ts';

/** Roles are known by their paths: to keys by their purpose, to tenant roles by the rights of their function. */

class Empty extends StageStack {}

const KEYS: readonly KeyPurpose[] = [
  ...(['sign', 'verify', 'secrets', 'endpoint-secrets', 'platform-secrets', 'no-key'] as const),
];
const TENANTS: readonly TenantRights[] = [
  ...(['sign-in', 'records-without-secrets', 'records', 'audited-records'] as const),
  ...(['live-callers', 'grants', 'batches', 'organizations', 'integrations', 'endpoints', 'deliveries'] as const),
];
const HOLDERS: readonly RoleHolder[] = [...TENANTS, 'no-tenants', 'tenant', 'operator'];

// Some that begin or end like others.
const PLACES = [
  ...['a', 'ab', 'a-b', 'b', 'sign', 'prod', 'prod-sign'].map((stage) => ({ stage, region: 'eu-west-1' })),
  ...['eu-west-11', 'us-gov-west-1', 'eu-central-1'].map((region) => ({ stage: 'a', region })),
].map(({ stage, region }) => {
  const app = new App({ context: { stage } });
  const stack = new Empty(app, { part: 'application', description: '', settings: settingsFrom(app.node) });
  const values: Readonly<Record<string, string>> = {
    'AWS::Partition': 'aws',
    'AWS::AccountId': '111122223333',
    'AWS::Region': region,
  };
  const workedOut = (text: string): string => {
    const { 'Fn::Join': [, parts] = ['', [text]] } = Object(stack.resolve(text)) as {
      'Fn::Join'?: [string, unknown[]];
    };
    return parts.map((part) => (typeof part === 'string' ? part : values[(part as { Ref: string }).Ref])).join('');
  };
  return { stack, workedOut };
});

const ROLES = PLACES.flatMap((place) =>
  KEYS.flatMap((key) =>
    HOLDERS.map((holder) => {
      const path = place.workedOut(rolePath(place.stack, key, holder));
      return { place, key, holder, arn: `arn:aws:iam::111122223333:role${path}name` };
    }),
  ),
);

/** Whether these patterns let in the roles of a place that are meant, and no others of any. */
function expectToLetIn(patterns: readonly string[], isMeant: (role: (typeof ROLES)[number]) => boolean): void {
  for (const role of ROLES)
    if (patterns.some((pattern) => isLike(role.arn, pattern)) !== isMeant(role))
      expect.fail(`${role.arn} by ${patterns}`);
}

it('a key lets in the roles of its stage, in its region, that have the purpose, and no others', () => {
  for (const place of PLACES)
    for (const key of KEYS)
      expectToLetIn([place.workedOut(rolesFor(place.stack, key))], (role) => role.place === place && role.key === key);
  expect(ROLES).toHaveLength(PLACES.length * KEYS.length * HOLDERS.length);
});

it('a tenant role lets in the functions of its stage, in its region, that have its rights, and no others', () => {
  for (const place of PLACES)
    for (const tenants of TENANTS)
      expectToLetIn(
        functionsWith(place.stack, tenants).map(place.workedOut),
        ({ place: where, key, holder }) =>
          where === place && holder === tenants && ['sign', 'verify', 'no-key'].includes(key),
      );
});
