import { App, Token } from 'aws-cdk-lib';
import { assert, boolean, constantFrom, property, record, stringMatching } from 'fast-check';
import { expect, it } from 'vitest';
import type { TenantRights } from '../../infra/rights.ts';
import { functionsWith, type KeyPurpose, type RoleHolder, rolePath, rolesFor } from '../../infra/role-path.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { StageStack } from '../../infra/stacks/stage-stack.ts';
import { isLike } from './account/iam.ts';

/** Roles are known by their paths: to keys by their purpose, to tenant roles by the rights of their function. */

class Empty extends StageStack {}

const KEYS: readonly KeyPurpose[] = ['sign', 'verify', 'secrets', 'platform-secrets', 'no-key'];
const TENANTS: readonly TenantRights[] = [
  'audit',
  'records-without-secrets',
  'records',
  'audited-records',
  'grants',
  'organizations',
  'integrations',
];
const HOLDERS: readonly RoleHolder[] = [...TENANTS, 'no-tenants', 'tenant', 'operator'];

const PSEUDO = { 'AWS::Partition': 'aws', 'AWS::AccountId': '111122223333' };

interface Place {
  readonly stage: string;
  readonly region: string;
}

/** What `make` answers in a stage, as AWS has it in a region. */
function inPlace(place: Place, make: (stack: StageStack) => readonly string[]): readonly string[] {
  const app = new App({ context: { stage: place.stage } });
  const stack = new Empty(app, { part: 'application', description: '', settings: settingsFrom(app.node) });
  const values: Readonly<Record<string, string>> = { ...PSEUDO, 'AWS::Region': place.region };
  return make(stack).map((text) => {
    const { 'Fn::Join': [, parts] = ['', [text]] } = Object(Token.isUnresolved(text) ? stack.resolve(text) : {}) as {
      readonly 'Fn::Join'?: readonly [string, readonly unknown[]];
    };
    return parts.map((part) => (typeof part === 'string' ? part : values[(part as { Ref: string }).Ref])).join('');
  });
}

// Some that begin or end like others.
const place = record({
  stage: constantFrom('a', 'ab', 'a-b', 'b', 'sign', 'prod', 'prod-sign'),
  region: constantFrom('eu-west-1', 'eu-west-11', 'us-gov-west-1', 'eu-central-1'),
});
const role = record({
  place,
  key: constantFrom(...KEYS),
  holder: constantFrom(...HOLDERS),
  // https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html
  name: stringMatching(/^[\w+=,.@-]{1,64}$/),
});
type Role = Readonly<{ place: Place; key: KeyPurpose; holder: RoleHolder; name: string }>;

const arnOf = ({ place: where, key, holder, name }: Role): string =>
  inPlace(where, (stack) => [rolePath(stack, key, holder)])
    .map((path) => `arn:aws:iam::111122223333:role${path}${name}`)
    .join();

const isSame = (one: Place, other: Place): boolean => one.stage === other.stage && one.region === other.region;

it('a key lets in the roles of its stage, in its region, that have the purpose, and no others', () => {
  assert(
    property(role, place, boolean(), constantFrom(...KEYS), (each, other, isHere, key) => {
      const where = isHere ? each.place : other;
      const patterns = inPlace(where, (stack) => [rolesFor(stack, key)]);
      const isLetIn = patterns.some((pattern) => isLike(arnOf(each), pattern));
      expect(isLetIn).toBe(isSame(each.place, where) && each.key === key);
    }),
  );
});

it('a tenant role lets in the functions of its stage, in its region, that have its rights, and no others', () => {
  assert(
    property(role, place, boolean(), constantFrom(...TENANTS), (each, other, isHere, tenants) => {
      const where = isHere ? each.place : other;
      const patterns = inPlace(where, (stack) => functionsWith(stack, tenants));
      const isLetIn = patterns.some((pattern) => isLike(arnOf(each), pattern));
      const isFunction = ['sign', 'verify', 'no-key'].includes(each.key);
      expect(isLetIn).toBe(isSame(each.place, where) && isFunction && each.holder === tenants);
    }),
  );
});
