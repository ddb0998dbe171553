import { describe, expect, it } from 'vitest';
import {
  ACME,
  ACTIONS,
  FUNCTIONS,
  KEYS,
  may,
  mayAssumeFor,
  opens,
  PERSON,
  RIVAL,
  roleOf,
  rolesIn,
  tenantRolesIn,
} from './access.ts';
import { isAllowed, mayAssume, type Principal } from './account/iam.ts';
import { stageOf, synthesize } from './synthesize.ts';

/**
 * What a function with a bug, or a person with a role, can do: nothing outside of the tenant for which the session was opened. By the policies of the template.
 * `snapshots/access.txt` has all that each role may do.
 */

const stack = stageOf(synthesize());
const TENANT_ROLES = tenantRolesIn(stack);
const ERASURE = String(stack.outputs.ErasureRoleArn);
/** Roles of people, for one tenant at a time. */
const PEOPLES_ROLES = ['Maintenance', 'Export', 'Replay', 'CutOff']
  .map((name) => String(stack.outputs[`${name}RoleArn`]))
  .concat(ERASURE);

const ofAcme = (roleArn: string): Principal => ({ roleArn, tags: { tenant: ACME } });
const actionsOn = (by: Principal, ...keys: string[]): string[] =>
  ACTIONS.filter((action) => may(stack, by, action, keys));
const CHANGES = ['UpdateItem', 'DeleteItem', 'BatchWriteItem'];

describe.each([...TENANT_ROLES, ...PEOPLES_ROLES].map((arn) => [arn.split('/').at(-1) ?? '', arn]))(
  'a session of %s for a tenant',
  (_, roleArn = '') => {
    it.each([
      ['another tenant’s key', [`ORG#${RIVAL}#CLIENT`]],
      ['another tenant’s key beside its own', [`ORG#${ACME}#CLIENT`, `ORG#${RIVAL}#CLIENT`]],
      ['another tenant’s credentials', [`ORG#${RIVAL}#CREDENTIALS`]],
      ['the suspension of another tenant', [`SUSPENDED#${RIVAL}`]],
      ['the platform’s integrations', ['ORG#PLATFORM#INTEGRATION']],
      ['a key that begins like its own', [`ORG#${ACME}0#CLIENT`]],
      ['a key of no tenant', ['ORG#']],
      ['no key at all, as a scan', []],
    ])('does nothing to %s', (_what, keys) => {
      expect(actionsOn(ofAcme(roleArn), ...keys)).toEqual([]);
    });

    it('does nothing without its tag, but what is said of no tenant', () => {
      for (const key of KEYS.filter((each) => each.includes(ACME)))
        expect(actionsOn({ roleArn, tags: {} }, key), key).toEqual([]);
      expect(opens(stack, { roleArn, tags: {} }, 'Decrypt', { tenant: ACME })).toBe(false);
    });

    it.each(['AUDIT_EVENT', 'EVENT'])('changes and deletes no %s, unless it erases all', (name) => {
      const events = `ORG#${ACME}#${name}`;
      const allowed = [actionsOn(ofAcme(roleArn), events), actionsOn(ofAcme(roleArn), `ORG#${ACME}#CLIENT`, events)];
      const changing = allowed.flat().filter((action) => CHANGES.includes(action));
      expect(changing.length > 0).toBe(roleArn === ERASURE);
    });

    it('opens secrets of its tenant alone', () => {
      for (const context of [
        { tenant: RIVAL },
        { tenant: 'PLATFORM' },
        { tenant: '*' },
        { tenant: '' },
        {},
        { other: ACME },
      ])
        for (const action of ['Decrypt', 'GenerateDataKey'])
          expect(opens(stack, ofAcme(roleArn), action, context as Record<string, string>), action).toBe(false);
    });

    it.each([
      ['without a tag', {}],
      ['with a pattern', { tenant: '*' }],
      ['with a pattern in it', { tenant: `${ACME}*` }],
      ['with a pattern as long as an id', { tenant: '????????-????-????-????-????????????' }],
      ['with another tag beside it', { tenant: ACME, other: 'x' }],
      ['with another tag', { other: ACME }],
      ['with no tenant', { tenant: '' }],
    ])('is not opened %s', (_how, tags) => {
      const callers = [PERSON, ...FUNCTIONS.map((name) => ({ roleArn: roleOf(stack, name), tags: {} }))];
      for (const by of callers) expect(mayAssume(stack, by, roleArn, tags as Record<string, string>)).toBe(false);
    });
  },
);

describe('credentials', () => {
  it('are planted by no function but the one that makes integrations, and listed and deleted by none', () => {
    const own = `ORG#${ACME}#CREDENTIALS`;
    const allowed = TENANT_ROLES.flatMap((arn) => actionsOn(ofAcme(arn), own).map((action) => [action, arn] as const));
    expect(new Set(allowed.map(([action]) => action))).toEqual(
      new Set(['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem']),
    );
    for (const [, arn] of allowed.filter(([action]) => action !== 'ConditionCheckItem'))
      expect(arn).toContain('IntegrationsRole');
    for (const arn of TENANT_ROLES) {
      expect(may(stack, ofAcme(arn), 'BatchWriteItem', [`ORG#${ACME}#CLIENT`, own]), arn).toBe(false);
      const ofPlatform = actionsOn(ofAcme(arn), 'ORG#PLATFORM#CREDENTIALS');
      expect(ofPlatform.filter((action) => action !== 'ConditionCheckItem')).toEqual([]);
    }
  });

  it('are read before a tenant is known one by one, and nothing that only ends like them', () => {
    const likely = [
      `ORG#${ACME}#CLIENT#CREDENTIALS`,
      'ORG##CREDENTIALS',
      `${ACME}#CREDENTIALS`,
      `ORG#${ACME}#CREDENTIALS#SET`,
    ];
    for (const name of FUNCTIONS) {
      const by = { roleArn: roleOf(stack, name), tags: {} };
      expect(['', 'GetItem']).toContain(actionsOn(by, `ORG#${ACME}#CREDENTIALS`).join());
      for (const key of likely) expect(actionsOn(by, key), `${name} ${key}`).toEqual([]);
    }
  });
});

describe('a function', () => {
  it.each(FUNCTIONS)('on its own touches no tenant’s key, and opens no secret: %s', (name) => {
    for (const tags of [{}, { tenant: ACME }]) {
      const by = { roleArn: roleOf(stack, name), tags };
      expect(actionsOn(by, `ORG#${ACME}#CLIENT`)).toEqual([]);
      for (const action of ['Decrypt', 'GenerateDataKey', 'Encrypt', 'ReEncryptFrom'])
        expect(opens(stack, by, action, { tenant: ACME }), action).toBe(false);
    }
  });

  it('works under one role at most, in its own region, and under none of people’s', () => {
    expect(TENANT_ROLES).toHaveLength(7);
    for (const name of FUNCTIONS) {
      const role = roleOf(stack, name);
      expect(TENANT_ROLES.filter((each) => mayAssumeFor(stack, role, each)).length, name).toBeLessThanOrEqual(1);
      const elsewhere = role.replace('/eu-west-1/', '/us-east-1/');
      expect(elsewhere).not.toBe(role);
      expect(
        TENANT_ROLES.filter((each) => mayAssumeFor(stack, elsewhere, each)),
        name,
      ).toEqual([]);
      for (const each of [
        ...PEOPLES_ROLES,
        String(stack.outputs.SupportRoleArn),
        String(stack.outputs.OperatorRoleArn),
      ])
        for (const tags of [{ tenant: ACME }, {}])
          expect(mayAssume(stack, { roleArn: role, tags: {} }, each, tags as Record<string, string>), name).toBe(false);
    }
  });
});

it('secrets open to no role outside of their path, and to none of it without a right of its own', () => {
  const isOpen = (roleArn: string): boolean => opens(stack, ofAcme(roleArn), 'Decrypt', { tenant: ACME });
  const opening = TENANT_ROLES.filter(isOpen);
  expect(opening).toHaveLength(5);
  for (const roleArn of opening)
    for (const path of [
      'custodia-devs/eu-west-1/secrets',
      'custodia-dev/eu-west-11/secrets',
      'custodia-dev/eu-west-1/verify',
    ])
      expect(isOpen(roleArn.replace(/\/.*\//, `/${path}/`)), path).toBe(false);
  for (const roleArn of TENANT_ROLES.filter((each) => !opening.includes(each)))
    expect(isOpen(roleArn.replace('/no-key/', '/secrets/')), roleArn).toBe(false);
});

it('a function reads the key of warm starts where it reads the table, and does nothing else there', () => {
  for (const name of FUNCTIONS) {
    const by = { roleArn: roleOf(stack, name), tags: {} };
    const isWarmed = !['openapi', 'docs', 'well-known'].includes(name);
    expect(actionsOn(by, 'WARM#'), name).toEqual(isWarmed ? ['GetItem'] : []);
    for (const keys of [['WARM#x'], ['WARM'], ['WARM#', `ORG#${ACME}#CLIENT`]])
      expect(actionsOn(by, ...keys), name).toEqual([]);
  }
  for (const roleArn of [...TENANT_ROLES, ...PEOPLES_ROLES])
    expect(actionsOn(ofAcme(roleArn), 'WARM#'), roleArn).toEqual([]);
});

it('a function reads whether an organization is suspended, and lifts no suspension', () => {
  for (const roleArn of [...TENANT_ROLES, ...FUNCTIONS.map((name) => roleOf(stack, name))])
    for (const by of [ofAcme(roleArn), { roleArn, tags: {} }])
      expect(['', 'GetItem'], roleArn).toContain(actionsOn(by, `SUSPENDED#${ACME}`).join());
});

it('only the erasure role deletes audit events', () => {
  const deleting = rolesIn(stack).filter((roleArn) =>
    ['DeleteItem', 'BatchWriteItem'].some((action) => may(stack, ofAcme(roleArn), action, [`ORG#${ACME}#AUDIT_EVENT`])),
  );
  expect(deleting).toEqual([ERASURE]);
});

it('the support role reads the logs of its stage and no others', () => {
  const roleArn = String(stack.outputs.SupportRoleArn);
  const mayOn = (action: string, group: string): boolean =>
    isAllowed(
      stack,
      { roleArn, tags: {} },
      {
        action,
        resource: `arn:aws:logs:eu-west-1:111122223333:log-group:${group}`,
        context: {},
      },
    );
  for (const name of ['custodia-dev-FunctionsClientsLogs1-A', 'custodia-dev-ApiAccessLogs1-B'])
    expect(mayOn('logs:StartQuery', name), name).toBe(true);
  for (const name of ['custodia-other-FunctionsClientsLogs1-A', 'custodia-dev-eu-FunctionsAuthLogs1-A', 'other'])
    expect(mayOn('logs:StartQuery', name), name).toBe(false);
});

it('a restored copy of the table is read by the maintenance role, of one tenant and without its credentials', () => {
  const allowed = (roleArn: string, table: string, key: string): string[] =>
    ACTIONS.filter((action) =>
      isAllowed(stack, ofAcme(roleArn), {
        action: `dynamodb:${action}`,
        resource: stack.tableArn.replace(/table\/.*$/, `table/${table}`),
        context: { 'dynamodb:LeadingKeys': [key] },
      }),
    );
  const copy = 'custodia-dev.2026-11-20T0929';
  const own = `ORG#${ACME}#CLIENT`;
  const reading = rolesIn(stack).filter((role) => allowed(role, copy, own).length > 0);
  expect(reading).toEqual([stack.outputs.MaintenanceRoleArn]);
  const [maintenance = ''] = reading;
  expect(allowed(maintenance, copy, own)).toEqual(['GetItem', 'Query']);
  for (const key of [`ORG#${ACME}#CREDENTIALS`, `ORG#${RIVAL}#CLIENT`, 'ORG#PLATFORM#ORG', 'APP#acme'])
    expect(allowed(maintenance, copy, key), key).toEqual([]);
  for (const table of ['custodia-dev-eu.2026', 'custodia-dev-data-RecordsTable', 'custodia-other.2026', 'any'])
    expect(allowed(maintenance, table, own), table).toEqual([]);
});
