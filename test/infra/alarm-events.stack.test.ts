import { beforeAll, describe, expect, it } from 'vitest';
import { type Deployed, deployedFrom } from './account/template.ts';
import { assemble, EVERYTHING, STACKS } from './synthesize.ts';

/** The rules of EventBridge tell of the events that they mean, and of no others. Events are as AWS's documentation shows them. */

const PREFIX = 'custodia-dev';
const REGION = 'eu-west-1';
const ACCOUNT = '111122223333';

let stack: Deployed;
beforeAll(() => {
  stack = assemble({ context: EVERYTHING }, (_, directory) => deployedFrom(directory, STACKS));
});

const of = (type: string) => [...stack.resources.values()].filter(({ Type }) => Type === type);

/** Whether a value of an event is as a pattern says: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html */
function fits(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => fits(pattern, each));
  if (!Array.isArray(pattern))
    return Object.entries(pattern as object).every(([name, inner]) => fits(inner, Object(value)[name]));
  return pattern.some((each: string | { prefix?: string; exists?: boolean }) => {
    if (typeof each === 'string') return value === each;
    if (each.exists === false) return value === undefined;
    if (each.prefix === undefined) throw new TypeError(`${JSON.stringify(each)} is not simulated`);
    return typeof value === 'string' && value.startsWith(each.prefix);
  });
}

/** Names of the rules that tell of an event. */
const telling = (event: object): string[] =>
  of('AWS::Events::Rule')
    .filter(({ Properties }) => Properties.EventPattern !== undefined && fits(Properties.EventPattern, event))
    .map(({ Properties }) => String(Properties.Name).replace(`${PREFIX}-`, ''));

describe('a deployment', () => {
  const status = (name: string, text: string) => ({
    source: 'aws.cloudformation',
    'detail-type': 'CloudFormation Stack Status Change',
    detail: {
      'stack-id': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${name}/9b5f4a10-5c5d-11ef-8b8e-0a1b2c3d4e5f`,
      'status-details': { status: text, 'status-reason': '' },
      'client-request-token': '',
    },
  });

  it.each(
    STACKS.flatMap((name) =>
      ['ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_FAILED'].map((text) => [name, text]),
    ),
  )('that fails is told of: %s, %s', (name = '', text = '') => {
    expect(telling(status(name, text))).toEqual(['deployment-failed']);
  });

  it.each([
    [PREFIX, 'UPDATE_IN_PROGRESS'],
    [PREFIX, 'UPDATE_COMPLETE'],
    [PREFIX, 'UPDATE_ROLLBACK_COMPLETE'],
    ['custodia-dev2', 'UPDATE_ROLLBACK_FAILED'],
    ['other', 'ROLLBACK_IN_PROGRESS'],
  ])('is not told of otherwise: %s, %s', (name, text) => {
    expect(telling(status(name, text))).toEqual([]);
  });
});

describe('a key', () => {
  const keys = () =>
    [...stack.resources].flatMap(([id, { Type }]) =>
      Type === 'AWS::KMS::Key' ? [`arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`] : [],
    );
  const call = (eventName: string, arn: string, more = {}) => ({
    source: 'aws.kms',
    'detail-type': 'AWS API Call via CloudTrail',
    detail: {
      eventSource: 'kms.amazonaws.com',
      eventName,
      requestParameters: { keyId: arn.split('/')[1] },
      resources: [{ accountId: ACCOUNT, type: 'AWS::KMS::Key', ARN: arn }],
      ...more,
    },
  });

  it('that is disabled or scheduled for deletion is told of', () => {
    expect(keys().length).toBeGreaterThan(3);
    for (const key of keys())
      for (const name of ['DisableKey', 'ScheduleKeyDeletion'])
        expect(telling(call(name, key))).toEqual(['key-disabled']);
  });

  it('of somebody else, or that is only used, is not', () => {
    const [key = ''] = keys();
    expect(telling(call('DisableKey', `arn:aws:kms:${REGION}:${ACCOUNT}:key/other`))).toEqual([]);
    expect(telling(call('Sign', key))).toEqual([]);
    expect(telling(call('DisableKey', key, { errorCode: 'AccessDenied' }))).toEqual([]);
  });
});

describe('a backup', () => {
  const job = (kind: string, state: string, resourceArn: string) => ({
    source: 'aws.backup',
    'detail-type': `${kind} Job State Change`,
    detail: { resourceArn, resourceType: 'DynamoDB', state, statusMessage: '"Insufficient privileges"' },
  });

  it.each(['Backup', 'Copy'])('that fails is told of: %s', (kind) => {
    for (const state of ['FAILED', 'ABORTED', 'EXPIRED'])
      expect(telling(job(kind, state, stack.tableArn))).toEqual(['backup-failed']);
  });

  it('that succeeds, or of another table, is not', () => {
    expect(telling(job('Backup', 'COMPLETED', stack.tableArn))).toEqual([]);
    expect(telling(job('Backup', 'FAILED', `${stack.tableArn}2`))).toEqual([]);
    expect(telling(job('Restore', 'FAILED', stack.tableArn))).toEqual([]);
  });
});
