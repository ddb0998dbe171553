import { ENDPOINT_SECRETS } from '#auth';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { isAllowed, mayAssume, mayUseKey, type Principal } from './account/iam.ts';
import type { Deployed } from './account/template.ts';
import { STAGE } from './synthesize.ts';

/** The rights of principals on keys of the table, by the policies of the template. */

export const ACME = '0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60';
export const RIVAL = '0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a61';

export const ACTIONS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'ConditionCheckItem',
  'BatchWriteItem',
  'Scan',
  'PartiQLSelect',
] as const;

export const FUNCTIONS = functionNames(contracts);

/** Somebody of the account who may assume any role that lets the account in. */
export const PERSON: Principal = { roleArn: 'arn:aws:iam::111122223333:user/somebody', tags: {} };

/** Arns of the roles with these ids. */
export const rolesIn = ({ resources }: Deployed, id = /./): string[] =>
  Array.from(resources, ([name, { Type, Properties }]) =>
    Type === 'AWS::IAM::Role' && id.test(name) ? `arn:aws:iam::111122223333:role${Properties.Path ?? '/'}${name}` : '',
  ).filter((arn) => arn !== '');

export const roleOf = ({ resources }: Deployed, functionName: string): string => {
  const name = `custodia-${STAGE}-${functionName}`;
  const found = [...resources.values()].find(({ Properties }) => Properties.FunctionName === name);
  return String(found?.Properties.Role);
};

/** The roles under which functions work for a tenant. */
export const tenantRolesIn = (stack: Deployed): string[] =>
  rolesIn(stack).filter((role) => FUNCTIONS.some((name) => mayAssumeFor(stack, roleOf(stack, name), role)));

export const mayAssumeFor = (stack: Deployed, caller: string, role: string, tenant = ACME): boolean =>
  mayAssume(stack, { roleArn: caller, tags: {} }, role, { tenant });

export const may = (stack: Deployed, by: Principal, action: string, keys: readonly string[]): boolean =>
  isAllowed(stack, by, {
    action: `dynamodb:${action}`,
    resource: stack.tableArn,
    context: keys.length === 0 ? {} : { 'dynamodb:LeadingKeys': keys },
  });

/** Whether a principal may use the key of secrets with this encryption context. */
export function opens(stack: Deployed, by: Principal, action: string, context: Readonly<Record<string, string>>) {
  const [key] = [...stack.resources].find(([id]) => id.startsWith('KeysSecrets')) ?? [];
  const asked = Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]]);
  return mayUseKey(stack, by, {
    action: `kms:${action}`,
    resource: `arn:aws:kms:eu-west-1:111122223333:key/${key}`,
    context: Object.fromEntries(asked),
  });
}

const OF_TENANT = [
  ...['CLIENT', 'CLIENT#status=active#SET', 'CLIENT#WORDS#3', 'TICKET#x#MESSAGE', 'UNIQUE#USER#email', 'ORG'],
  ...[
    'INTEGRATION',
    'INTEGRATION#status=active#SET',
    'QUOTA',
    'BUDGET',
    'REFUSALS',
    'DATA_KEY',
    'SWEEP',
    'ONCE#REQUEST#x',
  ],
  ...['CREDENTIALS', 'CREDENTIALS#SET', 'CLIENT#CREDENTIALS', 'USER_ACCESS', 'USER_ACCESS#SET', 'PROVIDER_KEYS'],
  ...['AUDIT_EVENT', 'AUDIT_EVENT#SET', 'AUDIT_EVENT#actor_id=x#SET', 'EVENT', 'EVENT#SET'],
  ...['WEBHOOK_ENDPOINT', 'WEBHOOK_ENDPOINT#SET', 'WEBHOOK_ENDPOINT#x#ATTEMPT', 'WEBHOOK_ENDPOINT#x#ATTEMPT#SET'],
  'DELIVERY',
];
const OF_PLATFORM = ['ORG', 'ORG#SET', 'ONCE#REQUEST#x', 'CREDENTIALS', 'INTEGRATION', 'CLIENT', 'AUDIT_EVENT'];

/** Every kind of key that there is, with tenants of the tests. */
export const KEYS: readonly string[] = [
  ...OF_TENANT.map((key) => `ORG#${ACME}#${key}`),
  ...OF_PLATFORM.map((key) => `ORG#PLATFORM#${key}`),
  ...[
    `ORG#${RIVAL}#CLIENT`,
    `ORG#${RIVAL}#CREDENTIALS`,
    `ORG#${RIVAL}#USER_ACCESS`,
    `ORG#${RIVAL}#DELIVERY`,
    `ORG#${ACME}0#CLIENT`,
    'ORG#',
    'ORG##CREDENTIALS',
  ],
  ...[
    'APP#acme',
    'SIGN_IN#acme',
    `SUSPENDED#${ACME}`,
    `SUSPENDED#${RIVAL}`,
    'LOGIN_FAILURE#digest',
    'DELIVERIES',
    'HELD_ALERTS',
    'HEALTH',
    'WARM#',
    'WARM#x',
    `${ACME}#CREDENTIALS`,
  ],
];

const named = (text: string): string => text.replaceAll(ACME, 'acme').replaceAll(RIVAL, 'rival');

/** Texts with commas between, in lines of up to 120 characters. */
function wrapped(texts: readonly string[]): string {
  const lines: string[] = [];
  for (const text of texts) {
    const line = lines.pop();
    if (line === undefined) lines.push(`    ${text}`);
    else if (line.length + text.length < 118) lines.push(`${line}, ${text}`);
    else lines.push(`${line},`, `    ${text}`);
  }
  return lines.join('\n');
}

/**
 * What a principal may do, a line for each set of actions with the keys, and one for the contexts in which it may use
 * the key of secrets.
 */
function linesOf(stack: Deployed, by: Principal): string[] {
  const onKeys = KEYS.map((key) => [ACTIONS.filter((action) => may(stack, by, action, [key])).join(' '), key] as const);
  const byActions = Map.groupBy(onKeys, ([actions]) => actions);
  byActions.delete('');
  const secrets = ['GenerateDataKey', 'Decrypt', 'Encrypt', 'ReEncryptFrom'].flatMap((action) =>
    [{}, { purpose: ENDPOINT_SECRETS }].flatMap((purpose) => {
      const tenants = [ACME, RIVAL, 'PLATFORM', ''].filter((tenant) =>
        opens(stack, by, action, { tenant, ...purpose }),
      );
      const what = [action, ...Object.values(purpose)].join(' of ');
      return tenants.length === 0 ? [] : [`  kms:${what}: ${named(tenants.join(', '))}`];
    }),
  );
  return [
    ...Array.from(byActions, ([actions, keys]) => `  ${actions}:\n${wrapped(keys.map(([, key]) => named(key)))}`),
    ...secrets,
  ];
}

/** Every role of a stage: who assumes it, and what it may do, in a session of acme where it has sessions of tenants. */
export function accessIn(stack: Deployed): string {
  const entries = rolesIn(stack).map((roleArn): [string, string] => {
    const name =
      roleArn
        .split('/')
        .at(-1)
        ?.replace(/[0-9A-F]{8}$/, '') ?? '';
    const callers = FUNCTIONS.filter((each) => mayAssumeFor(stack, roleOf(stack, each), roleArn));
    const isOfTenant = mayAssume(stack, PERSON, roleArn, { tenant: ACME });
    const isOfPeople = isOfTenant || mayAssume(stack, PERSON, roleArn, {});
    const tags = isOfTenant || callers.length > 0 ? { tenant: ACME } : {};
    const assumed = [
      ...callers.map((each) => `the function ${each}`),
      ...(isOfPeople ? ['people of the account'] : []),
    ];
    const lines = [`  assumed by ${assumed.join(', ') || 'AWS alone'}`, ...linesOf(stack, { roleArn, tags })];
    return [name, lines.join('\n')];
  });
  const alike = Map.groupBy(entries, ([, lines]) => lines);
  return Array.from(alike, ([lines, group]) => `${group.map(([name]) => name).join(', ')}\n${lines}\n`).join('\n');
}
