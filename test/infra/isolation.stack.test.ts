import { describe, expect, it } from 'vitest';
import { ENDPOINT_SECRETS } from '#auth';
import { BACKGROUND, HELD_ALERTS } from '../../infra/rights.ts';
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
import { stageOf, statementsIn, synthesize } from './synthesize.ts';

/**
 * What a function with a bug, or a person with a role, can do: nothing outside of the tenant for which the session was
 * opened. By the policies of the template. `snapshots/access.txt` has all that each role may do.
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
const READS = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'];
const nameOf = (roleArn: string): string =>
  roleArn
    .split('/')
    .at(-1)
    ?.replace(/[0-9A-F]{8}$/, '') ?? '';

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
    const changing = allowed.filter(([action]) => !['ConditionCheckItem', 'GetItem'].includes(action));
    for (const [, arn] of changing) expect(arn).toContain('IntegrationsRole');
    const reading = allowed.filter(([action]) => action === 'GetItem').map(([, arn]) => nameOf(arn));
    expect(reading).toEqual([
      'FunctionsBatchesRole',
      'FunctionsIntegrationsRole',
      'FunctionsEndpointsRole',
      'FunctionsDeliveriesRole',
    ]);
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

describe('what users may do', () => {
  const own = `ORG#${ACME}#USER_ACCESS`;

  it('is changed by the functions whose operations it follows from, item by item, and reached by no other', () => {
    const reaching = TENANT_ROLES.filter((arn) => actionsOn(ofAcme(arn), own).length > 0).map(nameOf);
    expect(reaching).toEqual(
      ['SignIn', 'LiveCallers', 'Grants', 'Batches', 'Organizations', 'Integrations', 'Endpoints'].map(
        (kind) => `Functions${kind}Role`,
      ),
    );
    // They ask whether the user that calls may do it now.
    for (const arn of TENANT_ROLES.filter((each) => /(LiveCallers|Integrations|Endpoints)Role/.test(each)))
      expect(actionsOn(ofAcme(arn), own)).toEqual(['GetItem', 'ConditionCheckItem']);
    const changing = TENANT_ROLES.filter((arn) => may(stack, ofAcme(arn), 'UpdateItem', [own])).map(nameOf);
    expect(changing).toEqual([
      'FunctionsSignInRole',
      'FunctionsGrantsRole',
      'FunctionsBatchesRole',
      'FunctionsOrganizationsRole',
    ]);
    for (const arn of TENANT_ROLES) {
      expect(
        (['BatchWriteItem', 'Query', 'BatchGetItem'] as const).filter((action) =>
          may(stack, ofAcme(arn), action, [own]),
        ),
      ).toEqual([]);
    }
  });

  it('is read before a session of the tenant by those who find out who calls alone, one by one', () => {
    const actions = FUNCTIONS.map(
      (name) => [name, actionsOn({ roleArn: roleOf(stack, name), tags: {} }, own)] as const,
    );
    expect(actions.filter(([, allowed]) => allowed.length > 0)).toEqual([
      ['authorizer', ['GetItem']],
      ['auth', ['GetItem']],
    ]);
  });
});

describe('who signs in as whom', () => {
  it.each(['IDENTITY', 'IDENTITY_PROVIDER', 'UNIQUE#IDENTITY#subject', 'UNIQUE#IDENTITY_PROVIDER#issuer'])(
    'is decided by the functions that change what users may do alone: %s',
    (partition) => {
      const key = `ORG#${ACME}#${partition}`;
      const writing = TENANT_ROLES.filter((arn) =>
        (['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'] as const).some((action) =>
          may(stack, ofAcme(arn), action, [key]),
        ),
      );
      // Who signs in is linked to a user, and makes no provider.
      const signsIn = partition === 'UNIQUE#IDENTITY_PROVIDER#issuer' ? [] : ['SignIn'];
      expect(writing.map(nameOf)).toEqual(
        [...signsIn, 'Grants', 'Batches', 'Organizations'].map((kind) => `Functions${kind}Role`),
      );
    },
  );
});

describe('the keys of identity providers', () => {
  const own = `ORG#${ACME}#PROVIDER_KEYS`;

  it('say whose tokens are good, and are reached by the function that exchanges these alone', () => {
    const reaching = TENANT_ROLES.filter((arn) => actionsOn(ofAcme(arn), own).length > 0);
    expect(reaching.map(nameOf)).toEqual(['FunctionsSignInRole']);
    expect(reaching.map((arn) => actionsOn(ofAcme(arn), own))).toEqual([['GetItem', 'UpdateItem']]);
  });
});

describe('objects of attachments', () => {
  const [bucket = ''] = [...stack.resources].find(([, { Type }]) => Type === 'AWS::S3::Bucket') ?? [];
  const mayObject = (by: Principal, action: string, tenant: string, context = {}): boolean =>
    isAllowed(stack, by, { action: `s3:${action}`, resource: `arn:aws:s3:::${bucket}${tenant}`, context });
  const ACTIONS_ON_OBJECTS = ['PutObject', 'GetObject', 'DeleteObject', 'DeleteObjectVersion', 'GetObjectVersion'];
  const actionsOnObjects = (by: Principal, tenant: string): string[] =>
    ACTIONS_ON_OBJECTS.filter((action) => mayObject(by, action, `/${tenant}/x`));

  it('are reached by the roles that need them, of their tenant alone', () => {
    const reaching = [...TENANT_ROLES, ...PEOPLES_ROLES].flatMap((arn) => {
      for (const other of [RIVAL, 'PLATFORM', `${ACME}0`, '']) expect(actionsOnObjects(ofAcme(arn), other)).toEqual([]);
      expect(actionsOnObjects({ roleArn: arn, tags: {} }, ACME)).toEqual([]);
      const actions = actionsOnObjects(ofAcme(arn), ACME);
      return actions.length === 0 ? [] : [[nameOf(arn), actions.join(' ')]];
    });
    expect(reaching).toEqual([
      ['FunctionsAttachmentsRole', 'PutObject GetObject DeleteObject'],
      ['MaintenanceRole', 'DeleteObject'],
      ['ErasureRole', 'DeleteObjectVersion'],
    ]);
    for (const name of FUNCTIONS)
      expect(actionsOnObjects({ roleArn: roleOf(stack, name), tags: {} }, ACME)).toEqual([]);
  });

  it('are listed by the erasure, of its tenant alone', () => {
    const lists = (by: Principal, prefix: string): boolean =>
      mayObject(by, 'ListBucketVersions', '', { 's3:prefix': [prefix] });
    expect(lists(ofAcme(ERASURE), `${ACME}/`)).toBe(true);
    for (const prefix of ['', `${RIVAL}/`, ACME.slice(0, 8)]) expect(lists(ofAcme(ERASURE), prefix)).toBe(false);
    for (const arn of [...TENANT_ROLES, ...PEOPLES_ROLES].filter((each) => each !== ERASURE))
      expect(lists(ofAcme(arn), `${ACME}/`), arn).toBe(false);
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
    expect(TENANT_ROLES).toHaveLength(13);
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

describe('deliveries', () => {
  const own = (name: string): Principal => ({ roleArn: roleOf(stack, name), tags: {} });
  const worker = TENANT_ROLES.find((arn) => nameOf(arn) === 'FunctionsDeliveriesRole') ?? '';
  /** The actions that a principal may do, with the keys. */
  const reach = (by: Principal, isMeant: (action: string) => boolean = () => true) =>
    KEYS.flatMap((key) => actionsOn(by, key).flatMap((action) => (isMeant(action) ? `${action} ${key}` : [])));

  it('are woken by a function without any right on the table, which reads the stream and sends', () => {
    expect(reach(own('delivery-wake-up'))).toEqual([]);
    const statements = statementsIn(synthesize()).filter(({ of }) => of.startsWith('Functionsdeliverywakeup'));
    const rights = statements.flatMap(({ Action, Resource }) => (Resource === undefined ? [] : Action));
    expect(rights.toSorted()).toEqual([
      ...['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((each) => `dynamodb:${each}`),
      ...['logs:CreateLogStream', 'logs:PutLogEvents', 'sqs:SendMessage'],
    ]);
    // Lambda itself sends what fails again and again, with the rights of the function.
    const queues = statements.flatMap(({ Action, Resource }) =>
      [Action].flat().includes('sqs:SendMessage') ? Resource : [],
    );
    expect(queues.map((each) => JSON.stringify(each))).toEqual([
      expect.stringContaining('DeliveriesDeadLetters'),
      expect.stringContaining('DeliveriesQueue'),
    ]);
  });

  it('are woken by a schedule that reads the register, and numbers of tenants', () => {
    const numbers = [`ORG#${ACME}#EVENT#SET`, `ORG#${ACME}#DELIVERY`, `ORG#${RIVAL}#DELIVERY`];
    expect(reach(own('delivery-schedule'))).toEqual([
      ...numbers.flatMap((key) => [`GetItem ${key}`, `BatchGetItem ${key}`]),
      ...['Query DELIVERIES', 'GetItem WARM#'],
    ]);
    for (const key of [`ORG#${ACME}0#DELIVERY`, `ORG#${ACME}#CLIENT#DELIVERY`, `ORG#${ACME}#CLIENT#EVENT#SET`])
      expect(actionsOn(own('delivery-schedule'), key), key).toEqual([]);
  });

  it('are made by a function that on its own reads and tidies the register', () => {
    expect(reach(own('deliveries'))).toEqual(['Query DELIVERIES', 'DeleteItem DELIVERIES', 'GetItem WARM#']);
    expect(reach(ofAcme(worker)).filter((each) => each.includes('DELIVERIES'))).toEqual([]);
  });

  it('change what a delivery changes, and nothing else of a tenant', () => {
    const changed = reach(ofAcme(worker), (action) => !READS.includes(action));
    const key = (name: string): string => `ORG#${ACME}#${name}`;
    const lists = ['AUDIT_EVENT', 'EVENT'].flatMap((list) => [
      `PutItem ${key(list)}`,
      `UpdateItem ${key(`${list}#SET`)}`,
    ]);
    const records = ['WEBHOOK_ENDPOINT', 'WEBHOOK_ENDPOINT#x#ATTEMPT', 'DELIVERY'];
    expect(changed.toSorted()).toEqual(
      [
        ...lists,
        `UpdateItem ${key('AUDIT_EVENT#actor_id=x#SET')}`,
        `UpdateItem ${key('BUDGET')}`,
        ...records.flatMap((name) => [`PutItem ${key(name)}`, `UpdateItem ${key(name)}`]),
        ...['WEBHOOK_ENDPOINT#SET', 'WEBHOOK_ENDPOINT#x#ATTEMPT#SET'].map((name) => `UpdateItem ${key(name)}`),
      ].toSorted(),
    );
  });

  it('read the credentials of the tenant one by one, and those of the platform not at all', () => {
    expect(actionsOn(ofAcme(worker), `ORG#${ACME}#CREDENTIALS`)).toEqual(['GetItem']);
    expect(actionsOn(ofAcme(worker), 'ORG#PLATFORM#CREDENTIALS')).toEqual([]);
  });

  it('are signed with secrets of endpoints, in sessions of their tenant: these are all that the role decrypts', () => {
    const decrypts = (context: Record<string, string>, action = 'Decrypt'): boolean =>
      opens(stack, ofAcme(worker), action, context);
    const purpose = ENDPOINT_SECRETS;
    expect(decrypts({ tenant: ACME, purpose })).toBe(true);
    for (const context of [{ tenant: ACME }, { tenant: RIVAL, purpose }, { purpose }, { tenant: ACME, purpose: '*' }])
      expect(decrypts(context as Record<string, string>), JSON.stringify(context)).toBe(false);
    expect(decrypts({ tenant: ACME, purpose }, 'GenerateDataKey')).toBe(false);
    expect(opens(stack, own('deliveries'), 'Decrypt', { tenant: ACME, purpose })).toBe(false);
  });

  it('are registered by a session that makes endpoints, which reads and deletes no entry', () => {
    const allowed = TENANT_ROLES.flatMap((arn) =>
      actionsOn(ofAcme(arn), 'DELIVERIES').map((each) => [nameOf(arn), each]),
    );
    expect(allowed).toEqual([['FunctionsEndpointsRole', 'PutItem']]);
  });

  it('and alerts that are held are registered by a session that takes alerts, and found by a function', () => {
    const adding = TENANT_ROLES.flatMap((arn) =>
      actionsOn(ofAcme(arn), 'HELD_ALERTS').map((each) => [nameOf(arn), each]),
    );
    expect(adding).toEqual([['FunctionsAlertsRole', 'PutItem']]);
    expect(reach(own('held-alerts'))).toEqual(['Query HELD_ALERTS', 'DeleteItem HELD_ALERTS', 'GetItem WARM#']);
  });

  it('have a queue to which the three functions alone send, over TLS alone, and from which one receives', () => {
    const all = statementsIn(synthesize());
    const sending = all.filter(({ Effect, Action }) => Effect === 'Allow' && Action.includes('sqs:SendMessage'));
    expect(new Set(sending.map(({ of }) => of.replace(/Role[0-9A-F]{8}$/, '')))).toEqual(
      new Set(BACKGROUND.flatMap((name) => (name === HELD_ALERTS ? [] : `Functions${name.replaceAll('-', '')}`))),
    );
    const receiving = all.filter(({ Effect, Action }) => Effect === 'Allow' && Action.includes('sqs:ReceiveMessage'));
    expect(receiving.map(({ of }) => of)).toEqual([expect.stringMatching(/^FunctionsdeliveriesRole/)]);
    const policies = all.filter(({ of }) => /^Deliveries\w+Policy/.test(of));
    expect(policies).toHaveLength(2);
    for (const { Effect, Condition } of policies)
      expect([Effect, Condition]).toEqual(['Deny', { Bool: { 'aws:SecureTransport': 'false' } }]);
  });
});

it('secrets open to no role outside of their path, and to none of it without a right of its own', () => {
  const isOpen = (roleArn: string): boolean => opens(stack, ofAcme(roleArn), 'Decrypt', { tenant: ACME });
  const opening = TENANT_ROLES.filter(isOpen);
  expect(opening).toHaveLength(8);
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
    const isWarmed = !['openapi', 'docs', 'well-known', 'delivery-wake-up'].includes(name);
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
  for (const name of ['custodia-dev-FunctionsClientsLogs1-A', 'custodia-dev-api-ApiAccessLogs1-B'])
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
