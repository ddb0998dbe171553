import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { isAllowed, mayAssume, mayUseKey, type Principal } from './account/iam.ts';
import { type Deployed, deployedFrom } from './account/template.ts';
import { assemble, STACKS } from './synthesize.ts';

/** What a function with a bug could do: nothing outside of the tenant for which it opened its session. By the policies of the template. */

let stack: Deployed;
beforeAll(() => {
  stack = assemble({}, (_, directory) => deployedFrom(directory, STACKS));
});

const ACME = '0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60';
const RIVAL = '0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a61';

const arns = (found: (arn: string) => boolean): string[] =>
  Array.from(stack.resources, ([id, { Type, Properties }]) =>
    Type === 'AWS::IAM::Role' ? `arn:aws:iam::111122223333:role${Properties.Path ?? '/'}${id}` : '',
  ).filter((arn) => arn !== '' && found(arn));

/** The tenant roles under which records are worked on: of records, with and without secrets, audited ones, of grants, of organizations, of integrations. */
const recordRoles = (): string[] =>
  arns((arn) => /Functions((Plain)?Tenant|AuditedRecords|Grants|Organizations|Integrations)Role/.test(arn));
/** That of a function which only adds to the audit log. */
const auditRoles = (): string[] => arns((arn) => /FunctionsAuditRole/.test(arn));
const tenantRoles = (): string[] => [...recordRoles(), ...auditRoles()];

const roleOf = (name: string): string => {
  const found = [...stack.resources.values()].find(
    ({ Type, Properties }) => Type === 'AWS::Lambda::Function' && Properties.FunctionName === `custodia-dev-${name}`,
  );
  return String(found?.Properties.Role);
};

const ACTIONS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'ConditionCheckItem',
  'BatchWriteItem',
];

const may = (by: Principal, action: string, keys: readonly string[]): boolean =>
  isAllowed(stack, by, {
    action: `dynamodb:${action}`,
    resource: stack.tableArn,
    context: keys.length === 0 ? {} : { 'dynamodb:LeadingKeys': keys },
  });

describe('a session of a tenant role', () => {
  const inTenant = (roleArn: string): Principal => ({ roleArn, tags: { tenant: ACME } });
  const sessions = (): Principal[] => tenantRoles().map(inTenant);

  it('does all that the storage code does to the tenant’s own keys', () => {
    expect(recordRoles()).toHaveLength(6);
    for (const by of recordRoles().map(inTenant)) {
      for (const key of ['CLIENT', 'CLIENT#status=active#SET', 'CLIENT#name#PREFIX', 'TICKET#x#MESSAGE']) {
        for (const action of ACTIONS.filter((each) => each !== 'BatchWriteItem'))
          expect(may(by, action, [`ORG#${ACME}#${key}`]), `${action} ${key}`).toBe(true);
      }
    }
  });

  it('deletes by batches only where a record is deleted that may have had many others', () => {
    const deleting = sessions().filter((by) => may(by, 'BatchWriteItem', [`ORG#${ACME}#TICKET#x#MESSAGE`]));
    expect(deleting.map(({ roleArn }) => roleArn).toSorted()).toEqual(
      ['AuditedRecords', 'Grants', 'Tenant'].map((name) => expect.stringContaining(`Functions${name}Role`)),
    );
  });

  it.each([
    ['another tenant’s key', [`ORG#${RIVAL}#CLIENT`]],
    ['another tenant’s key beside its own', [`ORG#${ACME}#CLIENT`, `ORG#${RIVAL}#CLIENT`]],
    ['the platform’s integrations', ['ORG#PLATFORM#INTEGRATION']],
    ['a key that begins like its own', [`ORG#${ACME}0#CLIENT`]],
    ['a key of no tenant', ['ORG#']],
    ['no key at all, as a scan', []],
  ])('does nothing to %s', (_, keys) => {
    for (const by of sessions()) {
      for (const action of [...ACTIONS, 'Scan', 'PartiQLSelect']) {
        expect(may(by, action, keys), `${by.roleArn} ${action}`).toBe(false);
      }
    }
  });

  it('does nothing without its tag', () => {
    for (const { roleArn } of sessions()) {
      for (const action of ACTIONS) expect(may({ roleArn, tags: {} }, action, [`ORG#${ACME}#CLIENT`])).toBe(false);
    }
  });

  it('reads whether its organization is suspended, and lifts no suspension', () => {
    for (const by of recordRoles().map(inTenant)) {
      const allowed = ACTIONS.filter((action) => may(by, action, [`SUSPENDED#${ACME}`]));
      expect(allowed, by.roleArn).toEqual(['GetItem']);
      for (const action of ACTIONS) expect(may(by, action, [`SUSPENDED#${RIVAL}`]), action).toBe(false);
    }
  });

  it('adds audit events, and changes or deletes none', () => {
    const auditEvents = `ORG#${ACME}#AUDIT_EVENT`;
    for (const by of sessions()) {
      // Most records leave no events.
      expect(may(by, 'PutItem', [auditEvents]), by.roleArn).toBe(!/FunctionsTenantRole/.test(by.roleArn));
      for (const action of ['UpdateItem', 'DeleteItem', 'BatchWriteItem']) {
        expect(may(by, action, [auditEvents]), `${by.roleArn} ${action}`).toBe(false);
        expect(may(by, action, [`ORG#${ACME}#CLIENT`, auditEvents]), `${by.roleArn} ${action}`).toBe(false);
      }
      // Their lists are counted like any other.
      for (const list of [auditEvents, `${auditEvents}#actor_id=x`])
        expect(may(by, 'UpdateItem', [`${list}#SET`])).toBe(true);
    }
  });

  it('of the login does nothing but add audit events and count refusals', () => {
    expect(auditRoles()).toHaveLength(1);
    for (const by of auditRoles().map(inTenant)) {
      for (const action of ACTIONS) {
        for (const key of ['CLIENT', 'INTEGRATION', 'ONCE#REQUEST#x', 'CLIENT#SET', 'AUDIT_EVENTS']) {
          expect(may(by, action, [`ORG#${ACME}#${key}`]), `${action} ${key}`).toBe(false);
        }
        const allowed = ['PutItem', 'UpdateItem'].includes(action);
        expect(may(by, action, [`ORG#${ACME}#REFUSALS`]), action).toBe(allowed);
        expect(may(by, action, [`ORG#${ACME}#AUDIT_EVENT#SET`]), action).toBe(allowed);
      }
    }
  });

  it('puts app codes only where integrations are made, one by one, and changes and deletes none', () => {
    for (const action of ACTIONS) {
      const reaching = sessions().filter((by) => may(by, action, ['APP#acme']));
      const needed = ['GetItem', 'PutItem'].includes(action);
      expect(
        reaching.map(({ roleArn }) => roleArn),
        action,
      ).toEqual(needed ? [expect.stringContaining('IntegrationsRole')] : []);
    }
  });

  it('takes a place in the platform’s list where organizations are made, and reads or deletes nothing there', () => {
    for (const key of ['ORG#PLATFORM#ORG', 'ORG#PLATFORM#ORG#SET', 'ORG#PLATFORM#ONCE#REQUEST#x']) {
      for (const action of ACTIONS) {
        const reaching = sessions().filter((by) => may(by, action, [key]));
        const needed = ['PutItem', 'UpdateItem'].includes(action);
        expect(reaching.map(({ roleArn }) => roleArn).toSorted(), `${action} ${key}`).toEqual(
          needed ? [expect.stringContaining('IntegrationsRole'), expect.stringContaining('OrganizationsRole')] : [],
        );
      }
    }
  });

  /** By role, what its session may do with credentials of a tenant. */
  const onCredentials = (tenant: string) =>
    Object.fromEntries(
      sessions().map((by) => [
        /Functions(\w+?)Role/.exec(by.roleArn)?.[1],
        [...ACTIONS, 'Scan'].filter((action) => may(by, action, [`ORG#${tenant}#CREDENTIALS`])),
      ]),
    );
  const NONE = { Audit: [], PlainTenant: [], Tenant: [], AuditedRecords: [], Organizations: [] };

  it('plants no credentials: only where integrations are made it puts and changes its own tenant’s, and lists and deletes none', () => {
    expect(onCredentials(ACME)).toEqual({
      ...NONE,
      Grants: ['ConditionCheckItem'],
      Integrations: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    });
    expect(onCredentials(RIVAL)).toEqual({ ...NONE, Grants: [], Integrations: [] });
    // In a transaction with what it may do, too.
    for (const by of sessions())
      expect(may(by, 'BatchWriteItem', [`ORG#${ACME}#CLIENT`, `ORG#${ACME}#CREDENTIALS`]), by.roleArn).toBe(false);
  });

  it('has a transaction depend on a platform caller’s credentials only where power is given, and reads none', () => {
    expect(onCredentials('PLATFORM')).toEqual({
      ...NONE,
      Grants: ['ConditionCheckItem'],
      Integrations: ['ConditionCheckItem'],
    });
    const [grants = ''] = arns((arn) => /FunctionsGrantsRole/.test(arn));
    const of = (name: string) => mayAssume(stack, { roleArn: roleOf(name), tags: {} }, grants, { tenant: ACME });
    expect(functionNames(contracts).filter(of).toSorted()).toEqual(['access', 'users', 'webhooks']);
  });
});

describe('a tenant role', () => {
  const assumable = (name: string, tags: Record<string, string>): string[] =>
    tenantRoles().filter((role) => mayAssume(stack, { roleArn: roleOf(name), tags: {} }, role, tags));

  it('is assumed by the functions that work for tenants, each its one', () => {
    const openers = functionNames(contracts).map((name) => [name, assumable(name, { tenant: ACME }).length] as const);
    const without = ['authorizer', 'docs', 'health', 'well-known', 'openapi'];
    expect(openers.filter(([, roles]) => roles === 0).map(([name]) => name)).toEqual(without);
    expect(openers.filter(([, roles]) => roles > 1)).toEqual([]);
    expect(assumable('clients', { tenant: 'PLATFORM' })).toHaveLength(1);
    expect(assumable('auth', { tenant: ACME })).toEqual(auditRoles());
  });

  it('is assumed by no function of the same stage in another region', () => {
    for (const name of functionNames(contracts)) {
      const elsewhere = roleOf(name).replace('/eu-west-1/', '/us-east-1/');
      expect(elsewhere).not.toBe(roleOf(name));
      for (const role of tenantRoles())
        expect(mayAssume(stack, { roleArn: elsewhere, tags: {} }, role, { tenant: ACME }), name).toBe(false);
    }
  });

  it.each([
    ['without a tag', {}],
    ['with a pattern', { tenant: '*' }],
    ['with a pattern in it', { tenant: `${ACME}*` }],
    ['with a pattern as long as an id', { tenant: '????????-????-????-????-????????????' }],
    ['with another tag beside it', { tenant: ACME, other: 'x' }],
    ['with another tag', { other: ACME }],
    ['with no tenant', { tenant: '' }],
  ])('is not assumed %s', (_, tags) => {
    for (const name of functionNames(contracts)) expect(assumable(name, tags as Record<string, string>)).toEqual([]);
  });
});

describe('secrets', () => {
  const secretsKey = (): string =>
    Array.from(stack.resources).find(
      ([, { Type, Properties }]) => Type === 'AWS::KMS::Key' && !Properties.KeySpec,
    )?.[0] ?? '';
  const opens = (by: Principal, action: string, context: Record<string, string>): boolean =>
    mayUseKey(stack, by, {
      action: `kms:${action}`,
      resource: `arn:aws:kms:eu-west-1:111122223333:key/${secretsKey()}`,
      context: Object.fromEntries(
        Object.entries(context).map(([key, value]) => [`kms:EncryptionContext:${key}`, [value]]),
      ),
    });
  const USES = ['Decrypt', 'GenerateDataKey'];

  it('open in a session of the tenant whose they are, and in no other', () => {
    const opening = tenantRoles().filter((roleArn) =>
      opens({ roleArn, tags: { tenant: ACME } }, 'Decrypt', { tenant: ACME }),
    );
    expect(opening.toSorted()).toEqual(
      ['AuditedRecords', 'Grants', 'Integrations', 'Organizations', 'Tenant'].map((name) =>
        expect.stringContaining(`Functions${name}Role`),
      ),
    );
    for (const roleArn of tenantRoles()) {
      for (const action of USES) {
        const isOpening = opening.includes(roleArn);
        for (const tenant of [ACME, 'PLATFORM'])
          expect(opens({ roleArn, tags: { tenant } }, action, { tenant }), `${roleArn} ${action}`).toBe(isOpening);
        for (const context of [
          { tenant: RIVAL },
          { tenant: 'PLATFORM' },
          { tenant: '*' },
          { tenant: '' },
          {},
          { other: ACME },
        ])
          expect(opens({ roleArn, tags: { tenant: ACME } }, action, context as Record<string, string>), action).toBe(
            false,
          );
        expect(opens({ roleArn, tags: {} }, action, { tenant: ACME }), action).toBe(false);
        expect(opens({ roleArn, tags: {} }, action, { tenant: '' }), action).toBe(false);
      }
    }
  });

  it('open to the functions that need them, and to no other that works on the tenant’s records', () => {
    const role = (name: string) =>
      tenantRoles().filter((each) => mayAssume(stack, { roleArn: roleOf(name), tags: {} }, each, { tenant: ACME }));
    const opening = functionNames(contracts).filter((name) =>
      role(name).some((roleArn) => opens({ roleArn, tags: { tenant: ACME } }, 'Decrypt', { tenant: ACME })),
    );
    const others = functionNames(contracts).filter((name) => !opening.includes(name));
    expect(others.toSorted()).toEqual(['audit', 'auth', 'authorizer', 'docs', 'health', 'openapi', 'well-known']);
  });

  it('open to the operator who replays webhook events, for the tenant of the session', () => {
    const by = { roleArn: String(stack.outputs.ReplayRoleArn), tags: { tenant: ACME } };
    for (const action of USES) {
      expect(opens(by, action, { tenant: ACME }), action).toBe(true);
      for (const tenant of [RIVAL, 'PLATFORM']) expect(opens(by, action, { tenant }), action).toBe(false);
    }
  });

  it('open to no role outside of their path, and to none of it without a right of its own', () => {
    const by = (roleArn: string): Principal => ({ roleArn, tags: { tenant: ACME } });
    const opening = tenantRoles().filter((roleArn) => opens(by(roleArn), 'Decrypt', { tenant: ACME }));
    expect(opening.length).toBeGreaterThan(0);
    for (const roleArn of opening) {
      for (const path of [
        '/custodia-devs/eu-west-1/secrets/',
        '/custodia-dev/eu-west-11/secrets/',
        '/custodia-dev/eu-west-1/verify/',
        '/',
      ])
        expect(opens(by(roleArn.replace(/\/.*\//, path)), 'Decrypt', { tenant: ACME }), path).toBe(false);
    }
    const others = tenantRoles().filter((roleArn) => !opening.includes(roleArn));
    for (const roleArn of others)
      expect(opens(by(roleArn.replace('/no-key/', '/secrets/')), 'Decrypt', { tenant: ACME }), roleArn).toBe(false);
    expect(others.length).toBeGreaterThan(0);
  });

  it('do not open to a function on its own, whatever it says of itself', () => {
    for (const name of functionNames(contracts)) {
      for (const action of [...USES, 'Encrypt', 'ReEncryptFrom']) {
        for (const tags of [{}, { tenant: ACME }])
          expect(opens({ roleArn: roleOf(name), tags }, action, { tenant: ACME }), `${name} ${action}`).toBe(false);
      }
    }
  });

  it('of the platform are made by the operator, who opens none', () => {
    const by = { roleArn: arns((arn) => /Operator/.test(arn))[0] ?? '', tags: {} };
    expect(opens(by, 'GenerateDataKey', { tenant: 'PLATFORM' })).toBe(true);
    for (const context of [{ tenant: ACME }, {}])
      expect(opens(by, 'GenerateDataKey', context as Record<string, string>)).toBe(false);
    expect(opens(by, 'Decrypt', { tenant: 'PLATFORM' })).toBe(false);
  });
});

describe('a function on its own', () => {
  it('touches no tenant’s key', () => {
    for (const name of functionNames(contracts)) {
      const by = { roleArn: roleOf(name), tags: { tenant: ACME } };
      for (const action of ACTIONS) expect(may(by, action, [`ORG#${ACME}#CLIENT`]), name).toBe(false);
    }
  });

  const allowed = (action: string, key: string) =>
    functionNames(contracts)
      .filter((name) => may({ roleArn: roleOf(name), tags: {} }, action, [key]))
      .toSorted();

  it('reads credentials where it runs before a tenant is known, one by one, and changes none', () => {
    for (const key of [`ORG#${ACME}#CREDENTIALS`, 'ORG#PLATFORM#CREDENTIALS']) {
      for (const action of ACTIONS)
        expect(allowed(action, key), action).toEqual(action === 'GetItem' ? ['auth', 'authorizer', 'webhooks'] : []);
    }
  });

  it('finds whose an app code is, and who is suspended, where it knows of a caller by an app code', () => {
    for (const key of ['APP#acme', `SUSPENDED#${ACME}`]) {
      for (const action of ACTIONS)
        expect(allowed(action, key), action).toEqual(action === 'GetItem' ? ['auth', 'webhooks'] : []);
    }
  });

  it('reads nothing that only ends like credentials, wherever a pointer leads', () => {
    const keys = [`ORG#${ACME}#CLIENT#CREDENTIALS`, 'ORG##CREDENTIALS', 'ORG#x#CREDENTIALS', `${ACME}#CREDENTIALS`];
    for (const key of [...keys, `ORG#${ACME}#CREDENTIALS#SET`, `ORG#${ACME}#CREDENTIALS2`])
      for (const action of ACTIONS) expect(allowed(action, key), `${action} ${key}`).toEqual([]);
  });

  it('counts failed guesses where secrets are checked, and nowhere else', () => {
    for (const action of ACTIONS) {
      const counting = action === 'GetItem' || action === 'UpdateItem';
      expect(allowed(action, 'LOGIN_FAILURE#digest'), action).toEqual(counting ? ['auth', 'webhooks'] : []);
    }
  });
});

describe('the operator’s role', () => {
  it('makes integrations of the platform, and touches nothing else', () => {
    const by = { roleArn: arns((arn) => /Operator/.test(arn))[0] ?? '', tags: {} };
    const allowed = (key: string) => [...ACTIONS, 'Scan'].filter((action) => may(by, action, [key]));
    for (const key of ['ONCE#REQUEST#x', 'CREDENTIALS'])
      expect(allowed(`ORG#PLATFORM#${key}`), key).toEqual(['GetItem', 'PutItem', 'UpdateItem']);
    expect(allowed('APP#ops')).toEqual(['PutItem']);
    expect(allowed(`ORG#${ACME}#CREDENTIALS`)).toEqual([]);
    for (const action of [...ACTIONS, 'Scan']) expect(may(by, action, [`ORG#${ACME}#CLIENT`])).toBe(false);
    for (const action of ['DeleteItem', 'Scan']) expect(may(by, action, ['ORG#PLATFORM#INTEGRATION'])).toBe(false);
    for (const key of ['ORG#PLATFORM#CLIENT', 'ORG#PLATFORM#AUDIT_EVENT', 'APP#ops'])
      expect(may(by, 'Query', [key]), key).toBe(false);
    const auditEvents = 'ORG#PLATFORM#AUDIT_EVENT';
    expect([may(by, 'PutItem', [auditEvents]), may(by, 'UpdateItem', [auditEvents])]).toEqual([true, false]);
  });
});

describe('the operator’s role', () => {
  const by = () => ({ roleArn: arns((arn) => /Operator/.test(arn))[0] ?? '', tags: {} });

  it('lists the integrations of the platform, and the organizations with who is suspended', () => {
    for (const list of ['ORG#PLATFORM#INTEGRATION', 'ORG#PLATFORM#ORG'])
      expect(may(by(), 'Query', [list]), list).toBe(true);
    expect(ACTIONS.filter((action) => may(by(), action, [`SUSPENDED#${ACME}`]))).toEqual(['GetItem']);
  });
});

describe('the maintenance role', () => {
  it('suspends and resumes the organization of its session, and no other', () => {
    const suspending = ['GetItem', 'PutItem', 'DeleteItem'];
    expect(ACTIONS.filter((action) => may(inTenant(ACME), action, [`SUSPENDED#${ACME}`]))).toEqual(suspending);
    expect(ACTIONS.filter((action) => may(inTenant(ACME), action, [`SUSPENDED#${RIVAL}`]))).toEqual([]);
  });

  const role = (): string => arns((arn) => /Maintenance/.test(arn))[0] ?? '';
  const inTenant = (tenant: string): Principal => ({ roleArn: role(), tags: { tenant } });

  it('works on all that is the tenant’s for which its session was opened, and on nobody else’s', () => {
    for (const action of ACTIONS) {
      for (const key of ['CLIENT', 'CLIENT#status=active#SET', 'SWEEP', 'UNIQUE#CLIENT#slug', 'AUDIT_EVENT#SET']) {
        expect(may(inTenant(ACME), action, [`ORG#${ACME}#${key}`]), `${action} ${key}`).toBe(true);
        expect(may(inTenant('PLATFORM'), action, [`ORG#PLATFORM#${key}`]), `${action} ${key}`).toBe(true);
        for (const other of [`ORG#${RIVAL}#`, `ORG#${ACME}0#`, 'ORG#PLATFORM#'])
          expect(may(inTenant(ACME), action, [other + key]), `${action} ${other}${key}`).toBe(false);
        expect(may(inTenant('PLATFORM'), action, [`ORG#${ACME}#${key}`]), action).toBe(false);
        expect(may({ roleArn: role(), tags: {} }, action, [`ORG#${ACME}#${key}`]), action).toBe(false);
      }
      for (const keys of [['APP#acme'], ['LOGIN_FAILURE#digest'], [`ORG#${ACME}#CREDENTIALS`], ['ORG#'], []])
        expect(may(inTenant(ACME), action, keys), `${action} ${keys}`).toBe(false);
    }
    expect(may(inTenant(ACME), 'Scan', [])).toBe(false);
  });

  it('repairs the organization’s copy in the platform’s list, and lists no others', () => {
    for (const list of ['ORG#PLATFORM#ORG', 'ORG#PLATFORM#ORG#SET']) {
      const allowed = ACTIONS.filter((action) => may(inTenant(ACME), action, [list]));
      expect(allowed).toEqual(['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem']);
    }
  });

  it('changes and deletes no audit event', () => {
    for (const action of ['UpdateItem', 'DeleteItem', 'BatchWriteItem'])
      expect(may(inTenant(ACME), action, [`ORG#${ACME}#AUDIT_EVENT`]), action).toBe(false);
  });

  it('uses no key of KMS', () => {
    const keys = [...stack.resources.values()].filter(({ Type }) => Type === 'AWS::KMS::Key');
    expect(keys.length).toBeGreaterThan(1);
    expect(JSON.stringify(keys)).not.toMatch(/Maintenance/);
    const [id = ''] = [...stack.resources.keys()].filter((each) => /^MaintenanceRole/.test(each));
    const rights = JSON.stringify(stack.resources.get(id)?.Properties.Policies);
    expect(rights).toMatch(/dynamodb:/);
    expect(rights).not.toMatch(/kms:|sts:/);
  });
});

describe.each(['Maintenance', 'Export', 'Erasure', 'Replay', 'CutOff'])('the role %s', (name) => {
  const role = (): string => String(stack.outputs[`${name}RoleArn`]);

  it('is assumed by people of the account for one tenant, and by no function', () => {
    const person: Principal = { roleArn: 'arn:aws:iam::111122223333:user/somebody', tags: {} };
    const assumable = (by: Principal, tags: Record<string, string>) => mayAssume(stack, by, role(), tags);
    expect([assumable(person, { tenant: ACME }), assumable(person, { tenant: 'PLATFORM' })]).toEqual([true, true]);
    for (const tags of [{}, { tenant: '*' }, { tenant: `${ACME}*` }, { tenant: ACME, more: 'x' }, { tenant: '' }])
      expect(assumable(person, tags), JSON.stringify(tags)).toBe(false);
    for (const each of functionNames(contracts))
      expect(assumable({ roleArn: roleOf(each), tags: {} }, { tenant: ACME }), each).toBe(false);
  });

  it('touches no other tenant’s keys, and none without its tag', () => {
    for (const action of [...ACTIONS, 'Scan']) {
      for (const keys of [[`ORG#${RIVAL}#CLIENT`], [`ORG#${ACME}0#CLIENT`], [`SUSPENDED#${RIVAL}`], ['ORG#'], []])
        expect(may({ roleArn: role(), tags: { tenant: ACME } }, action, keys), `${action} ${keys}`).toBe(false);
      expect(may({ roleArn: role(), tags: {} }, action, [`ORG#${ACME}#CLIENT`]), action).toBe(false);
    }
  });
});

describe('the erasure role', () => {
  const allowed = (key: string): string[] => {
    const by = { roleArn: String(stack.outputs.ErasureRoleArn), tags: { tenant: ACME } };
    return [...ACTIONS, 'Scan'].filter((action) => may(by, action, [key]));
  };

  it('reads and deletes what is the tenant’s, and puts nothing there but an audit event', () => {
    for (const key of [
      'CLIENT',
      'CLIENT#status=x#SET',
      'CLIENT#name#PREFIX',
      'TICKET#x#MESSAGE',
      'UNIQUE#USER#email',
      'DATA_KEY',
      'ORG',
    ])
      expect(allowed(`ORG#${ACME}#${key}`), key).toEqual(['GetItem', 'Query', 'DeleteItem']);
    for (const key of ['AUDIT_EVENT', 'AUDIT_EVENT#SET', 'AUDIT_EVENT#actor_id=x#SET'])
      expect(allowed(`ORG#${ACME}#${key}`), key).toEqual(['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem']);
  });

  it('suspends, takes its organization off the list, and deletes app codes one by one', () => {
    expect(allowed(`SUSPENDED#${ACME}`)).toEqual(['GetItem', 'PutItem']);
    expect(allowed('ORG#PLATFORM#ORG')).toEqual(['GetItem', 'DeleteItem']);
    expect(allowed('ORG#PLATFORM#ORG#SET')).toEqual(['UpdateItem']);
    for (const key of ['APP#acme', `ORG#${ACME}#CREDENTIALS`]) expect(allowed(key), key).toEqual(['DeleteItem']);
    for (const key of [
      `ORG#${RIVAL}#CREDENTIALS`,
      'ORG#PLATFORM#CREDENTIALS',
      'ORG#PLATFORM#INTEGRATION',
      'LOGIN_FAILURE#x',
    ])
      expect(allowed(key), key).toEqual([]);
  });

  it('is the only one that deletes audit events', () => {
    const auditEvents = `ORG#${ACME}#AUDIT_EVENT`;
    const deleting = arns(() => true).filter((roleArn) =>
      ['DeleteItem', 'BatchWriteItem'].some((action) =>
        may({ roleArn, tags: { tenant: ACME } }, action, [auditEvents]),
      ),
    );
    expect(deleting).toEqual([stack.outputs.ErasureRoleArn]);
  });
});

describe('the replay role', () => {
  const by = (): Principal => ({ roleArn: String(stack.outputs.ReplayRoleArn), tags: { tenant: ACME } });
  const allowed = (key: string): string[] => [...ACTIONS, 'Scan'].filter((action) => may(by(), action, [key]));

  it('does what the receiver of webhooks does for a tenant, and changes no audit event', () => {
    expect(allowed(`ORG#${ACME}#CLIENT`)).toEqual(ACTIONS);
    expect(allowed(`ORG#${ACME}#CREDENTIALS`)).toEqual(['GetItem', 'ConditionCheckItem']);
    for (const action of ['UpdateItem', 'DeleteItem', 'BatchWriteItem'])
      expect(may(by(), action, [`ORG#${ACME}#AUDIT_EVENT`]), action).toBe(false);
    for (const key of [
      `SUSPENDED#${ACME}`,
      'ORG#PLATFORM#ORG',
      'LOGIN_FAILURE#x',
      'APP#acme',
      'ORG#PLATFORM#CREDENTIALS',
    ])
      expect(allowed(key), key).toEqual([]);
  });
});

describe('the export role', () => {
  const by = (): Principal => ({ roleArn: String(stack.outputs.ExportRoleArn), tags: { tenant: ACME } });

  it('reads what is the tenant’s, and does nothing else', () => {
    for (const key of [`ORG#${ACME}#CLIENT`, `ORG#${ACME}#AUDIT_EVENT`, `ORG#${ACME}#TICKET#x#MESSAGE`])
      expect(ACTIONS.filter((action) => may(by(), action, [key]))).toEqual(['GetItem', 'Query']);
    for (const key of [
      'APP#acme',
      `ORG#${ACME}#CREDENTIALS`,
      'LOGIN_FAILURE#x',
      `SUSPENDED#${ACME}`,
      'ORG#PLATFORM#ORG',
    ])
      expect(
        ACTIONS.filter((action) => may(by(), action, [key])),
        key,
      ).toEqual([]);
  });

  it('uses no key of KMS', () => {
    const keys = [...stack.resources.values()].filter(({ Type }) => Type === 'AWS::KMS::Key');
    expect(JSON.stringify(keys)).not.toMatch(/Export|Erasure/);
  });
});

describe('the cut-off role', () => {
  const by = (): Principal => ({ roleArn: String(stack.outputs.CutOffRoleArn), tags: { tenant: ACME } });
  const allowed = (key: string): string[] => [...ACTIONS, 'Scan'].filter((action) => may(by(), action, [key]));

  it('lists integrations and changes them with their credentials, and makes and deletes none', () => {
    expect(allowed(`ORG#${ACME}#INTEGRATION`)).toEqual(['GetItem', 'Query', 'UpdateItem']);
    expect(allowed(`ORG#${ACME}#CREDENTIALS`)).toEqual(['GetItem', 'UpdateItem']);
    for (const key of ['INTEGRATION#status=active#SET', 'QUOTA', 'AUDIT_EVENT#SET'])
      expect(allowed(`ORG#${ACME}#${key}`), key).toEqual(['UpdateItem']);
    expect(allowed(`ORG#${ACME}#AUDIT_EVENT`)).toEqual(['PutItem']);
    expect(allowed(`ORG#${ACME}#ORG`)).toEqual(['GetItem']);
  });

  it('sees no other record', () => {
    for (const key of [`ORG#${ACME}#CLIENT`, `ORG#${ACME}#DATA_KEY`, `ORG#${RIVAL}#CREDENTIALS`, 'APP#acme'])
      expect(allowed(key), key).toEqual([]);
    for (const key of [`SUSPENDED#${ACME}`, 'ORG#PLATFORM#CREDENTIALS', 'ORG#PLATFORM#ORG'])
      expect(allowed(key), key).toEqual([]);
  });
});

describe('the support role', () => {
  const by = (): Principal => ({ roleArn: String(stack.outputs.SupportRoleArn), tags: {} });
  const mayOn = (action: string, resource: string): boolean =>
    isAllowed(stack, by(), { action, resource, context: {} });

  it('is assumed by people of the account, and by no function', () => {
    const person: Principal = { roleArn: 'arn:aws:iam::111122223333:user/somebody', tags: {} };
    expect(mayAssume(stack, person, by().roleArn, {})).toBe(true);
    for (const each of functionNames(contracts))
      expect(mayAssume(stack, { roleArn: roleOf(each), tags: {} }, by().roleArn, {}), each).toBe(false);
  });

  it('of the table lists the organizations, and does nothing else', () => {
    const allowed = (key: string): string[] => [...ACTIONS, 'Scan'].filter((action) => may(by(), action, [key]));
    expect(allowed('ORG#PLATFORM#ORG')).toEqual(['Query']);
    for (const key of [`ORG#${ACME}#CLIENT`, 'ORG#PLATFORM#INTEGRATION', 'ORG#PLATFORM#CREDENTIALS', 'APP#acme'])
      expect(allowed(key), key).toEqual([]);
  });

  it('reads the logs of its stage and no others', () => {
    const group = (name: string): string => `arn:aws:logs:eu-west-1:111122223333:log-group:${name}`;
    for (const name of ['custodia-dev-FunctionsClientsLogs1-A', 'custodia-dev-ApiAccessLogs1-B'])
      expect(mayOn('logs:StartQuery', group(name)), name).toBe(true);
    for (const name of ['custodia-other-FunctionsClientsLogs1-A', 'custodia-dev-eu-FunctionsAuthLogs1-A', 'other'])
      expect(mayOn('logs:StartQuery', group(name)), name).toBe(false);
    for (const action of ['logs:DeleteLogGroup', 'logs:PutRetentionPolicy', 'backup:StartRestoreJob'])
      expect(mayOn(action, group('custodia-dev-FunctionsClientsLogs1-A')), action).toBe(false);
  });
});

describe('a restored copy of the table', () => {
  const by = (tenant: string): Principal => ({ roleArn: String(stack.outputs.MaintenanceRoleArn), tags: { tenant } });
  const allowed = (table: string, key: string): string[] =>
    [...ACTIONS, 'Scan'].filter((action) =>
      isAllowed(stack, by(ACME), {
        action: `dynamodb:${action}`,
        resource: stack.tableArn.replace(/table\/.*$/, `table/${table}`),
        context: { 'dynamodb:LeadingKeys': [key] },
      }),
    );

  it('is read by the maintenance role, of one tenant and without its credentials, and by nobody else', () => {
    const copy = 'custodia-dev.2026-11-20T0929';
    expect(allowed(copy, `ORG#${ACME}#CLIENT`)).toEqual(['GetItem', 'Query']);
    for (const key of [`ORG#${ACME}#CREDENTIALS`, `ORG#${RIVAL}#CLIENT`, 'ORG#PLATFORM#ORG', 'APP#acme'])
      expect(allowed(copy, key), key).toEqual([]);
    for (const table of ['custodia-dev-eu.2026', 'custodia-dev-data-RecordsTable', 'custodia-other.2026', 'any'])
      expect(allowed(table, `ORG#${ACME}#CLIENT`), table).toEqual([]);
  });
});
