import * as z from 'zod';
import type { Deployed } from './template.ts';

/**
 * As much of IAM as the stack's roles use: who may do what, by the policies of the template. What is not simulated here
 * throws, so that a policy cannot grow into something that the tests only seem to check.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_multi-key-or-value-conditions.html
 */

/** A sender of requests: a role with the session's tags. */
export interface Principal {
  readonly roleArn: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** What a request asks for. A key that the context does not hold is absent. */
export interface Asked {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, readonly string[]>>;
}

const texts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: texts,
  Resource: texts.optional(),
  Principal: z.union([z.literal('*'), z.record(z.string(), z.unknown())]).optional(),
  Condition: z.record(z.string(), z.record(z.string(), texts)).default({}),
});
type Statement = z.infer<typeof statementSchema>;

const statementsOf = (document: unknown): Statement[] =>
  z.object({ Statement: z.array(statementSchema) }).parse(document).Statement;

/** What is written into a role. The stack has no policies beside it (`template.stack.test.ts`). */
const rightsOf = (role: unknown): Statement[] =>
  roleSchema.parse(role ?? {}).Policies.flatMap(({ PolicyDocument }) => statementsOf(PolicyDocument));

const roleSchema = z.object({ Policies: z.array(z.object({ PolicyDocument: z.unknown() })).default([]) });

/** Roles are known by their logical id, with which their ARN ends. */
const idOf = (roleArn: string): string => roleArn.split('/').at(-1) ?? '';

/** Whether the policies of the stack's roles allow this, and none of them denies it. */
export function isAllowed({ resources }: Deployed, principal: Principal, asked: Asked): boolean {
  const statements = rightsOf(resources.get(idOf(principal.roleArn))?.Properties);
  const speaking = statements.filter(
    (statement) =>
      statement.Resource?.some((pattern) => isLike(asked.resource, filledIn(pattern, principal) ?? '')) &&
      speaksOf(statement, principal, asked),
  );
  return speaking.length > 0 && speaking.every(({ Effect }) => Effect === 'Allow');
}

/**
 * Whether a KMS key may be used: its policy names the account, which is everybody of it whose role's own policies allow
 * it too; by conditions it lets in roles of some paths only.
 * https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-overview.html
 */
export function mayUseKey(stack: Deployed, principal: Principal, { action, resource, context }: Asked): boolean {
  const asked = { action, resource, context: { ...context, 'aws:PrincipalArn': [principal.roleArn] } };
  const key = stack.resources.get(idOf(resource));
  const speaking = statementsOf(key?.Properties.KeyPolicy).filter((statement) => speaksOf(statement, principal, asked));
  if (!speaking.every((statement) => namesAccountOf(principal, statement)))
    throw new Error(`the policy of ${resource} names others than the account`);
  return (
    speaking.length > 0 && speaking.every(({ Effect }) => Effect === 'Allow') && isAllowed(stack, principal, asked)
  );
}

/**
 * Whether a role may be assumed: both the caller's own policy and the role's trust policy must allow it, the tags too.
 */
export function mayAssume(stack: Deployed, caller: Principal, roleArn: string, tags: Principal['tags']): boolean {
  const context = {
    'aws:PrincipalArn': [caller.roleArn],
    'aws:TagKeys': Object.keys(tags),
    ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:RequestTag/${key}`, [value]])),
  };
  if (!Object.values(tags).every((value) => TAG_VALUE.test(value))) return false;
  const actions = ['sts:AssumeRole', ...(Object.keys(tags).length > 0 ? ['sts:TagSession'] : [])];
  const trust = statementsOf(stack.resources.get(idOf(roleArn))?.Properties.AssumeRolePolicyDocument);
  return actions.every((action) => {
    const asked = { action, resource: roleArn, context };
    return (
      (isOfAccount(caller) || isAllowed(stack, caller, asked)) &&
      trust.some(
        (statement) =>
          statement.Effect === 'Allow' && namesAccountOf(caller, statement) && speaksOf(statement, caller, asked),
      )
    );
  });
}

/** Whether a policy lets everybody of the principal's account in, as far as the account's own policies do. */
const namesAccountOf = ({ roleArn }: Principal, { Principal: named }: Statement): boolean =>
  named !== '*' && [named?.AWS].flat().includes(`arn:aws:iam::${roleArn.split(':')[4]}:root`);

/**
 * Whether a resource's own policy lets a service of AWS do this, and does not deny it. A service has no policies of its
 * own.
 */
export function isServiceAllowed(policy: unknown, service: string, asked: Asked): boolean {
  const speaking = statementsOf(policy).filter(
    (statement) =>
      (statement.Principal === '*' || isIn(service, [statement.Principal?.Service].flat())) &&
      statement.Resource?.some((pattern) => isLike(asked.resource, pattern)) &&
      speaksOf(statement, NOBODY, asked),
  );
  return speaking.length > 0 && speaking.every(({ Effect }) => Effect === 'Allow');
}

/** Nothing for a policy's variables to be filled in with. */
const NOBODY: Principal = { roleArn: '', tags: {} };

/**
 * What STS takes as a tag's value: no `*` and no `?`
 * (https://docs.aws.amazon.com/STS/latest/APIReference/API_Tag.html).
 */
const TAG_VALUE = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/**
 * A user of the account who administers it: roles that name the account as their principal leave it to IAM who assumes
 * them.
 */
const isOfAccount = ({ roleArn }: Principal): boolean => roleArn.includes(':user/');

const isIn = (id: string, roles: unknown): boolean => Array.isArray(roles) && roles.includes(id);

const speaksOf = (statement: Statement, principal: Principal, { action, context }: Asked): boolean =>
  statement.Action.includes(action) &&
  Object.entries(statement.Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => holds(operator, context[key], wanted, principal)),
  );

/**
 * A condition on an absent key fails, but with `ForAllValues`, where it is true of all of no values, and with `Null`.
 */
function holds(
  operator: string,
  found: readonly string[] | undefined,
  wanted: readonly string[],
  principal: Principal,
): boolean {
  const patterns = wanted.flatMap((pattern) => filledIn(pattern, principal) ?? []);
  const isOneOf = (value: string): boolean => patterns.some((pattern) => isLike(value, pattern));
  switch (operator) {
    case 'Null':
      return String(found === undefined) === wanted[0];
    case 'Bool':
    case 'StringEquals':
      return found?.every((value) => patterns.includes(value)) ?? false;
    case 'StringLike':
    case 'ArnLike':
      return found?.every(isOneOf) ?? false;
    case 'ForAnyValue:StringLike':
      return (found ?? []).some(isOneOf);
    case 'ForAllValues:StringLike':
      return (found ?? []).every(isOneOf);
    case 'ForAllValues:StringEquals':
      return (found ?? []).every((value) => patterns.includes(value));
    default:
      throw new Error(`the condition ${operator} is not simulated`);
  }
}

/** A pattern with its variables replaced; undefined where one has no value, for then the pattern matches nothing. */
function filledIn(pattern: string, { tags }: Principal): string | undefined {
  let isComplete = true;
  const filled = pattern.replace(/\$\{aws:PrincipalTag\/(\w+)\}/g, (_, tag: string) => {
    isComplete &&= tags[tag] !== undefined;
    return tags[tag] ?? '';
  });
  return isComplete ? filled : undefined;
}

export const isLike = (value: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(value);
