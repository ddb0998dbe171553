import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { doctor } from '../../operator/doctor/doctor.ts';
import { type FakeAccount, startFakeAccount, USUAL } from './fake-account.ts';

/** What `custodia doctor --account` finds, with the services of AWS behind the SDK's own retries. */

let account: FakeAccount;
beforeAll(async () => {
  account = await startFakeAccount();
});
afterAll(() => account.stop());
beforeEach(() => {
  account.replies = USUAL;
  for (const [name, value] of Object.entries(account.variables)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIATEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_REGION', 'eu-west-1');
});

/** What each check has found. */
const found = async () =>
  Object.fromEntries((await doctor({ account: true })).map(({ check, state, detail }) => [check, [state, detail]]));

const OK = (detail: RegExp) => ['ok', expect.stringMatching(detail)];
const warning = (detail: RegExp) => ['warning', expect.stringMatching(detail)];
const wrong = (detail: RegExp) => ['wrong', expect.stringMatching(detail)];

describe('an account', () => {
  it('that has what a stage needs is found well', async () => {
    expect(await found()).toEqual({
      identity: OK(/^arn:aws:sts::111122223333:assumed-role\/Admin\/me, account 111122223333, region eu-west-1$/),
      quotas: OK(/^1000 concurrent executions, 10000 requests a second$/),
      'log role': OK(/, of the stack api-gateway-log-role$/),
      trail: OK(/^management-events records/),
    });
  });

  it('that is new is warned of, with what to ask for', async () => {
    account.replies = { ...USUAL, executions: 10, rateLimit: 100, codeSize: 79_000_000_000 };
    const { quotas } = await found();
    expect(quotas).toEqual(
      warning(/^10 concurrent executions .*--quota-code L-B99A9384.* take 98 % .* takes 100 requests/),
    );
  });

  it.each([undefined, null])('without a role for the logs of API Gateway (%s) cannot have a stage', async (logRole) => {
    account.replies = { ...USUAL, logRole };
    expect((await found())['log role']).toEqual(wrong(/npx cdk deploy api-gateway-log-role -c gatewayLogRole=true$/));
  });

  it('with somebody else’s role keeps it', async () => {
    account.replies = { ...USUAL, logRole: 'arn:aws:iam::111122223333:role/service/other-team' };
    expect((await found())['log role']).toEqual(OK(/other-team, somebody else’s: .* would replace it$/));
  });

  const field = (Field: string, more: object) => ({ Field, ...more });
  const MANAGEMENT = field('eventCategory', { Equals: ['Management'] });
  const classic = (more: object) => ({ EventSelectors: [{ IncludeManagementEvents: true, ...more }] });
  const advanced = (...fields: object[]) => ({ AdvancedEventSelectors: [{ FieldSelectors: fields }] });
  it.each([
    ['writes alone', classic({ ReadWriteType: 'WriteOnly' }), true],
    ['what is null', { ...classic({ ExcludeManagementEventSources: null }), AdvancedEventSelectors: null }, true],
    ['reads alone', classic({ ReadWriteType: 'ReadOnly' }), false],
    ['all but KMS', classic({ ExcludeManagementEventSources: ['kms.amazonaws.com'] }), false],
    ['data alone', classic({ IncludeManagementEvents: false }), false],
    ['management events, selected as one may', advanced(MANAGEMENT), true],
    ['writes of management', advanced(MANAGEMENT, field('readOnly', { Equals: ['false'] })), true],
    ['reads of management', advanced(MANAGEMENT, field('readOnly', { Equals: ['true'] })), false],
    [
      'all but KMS, selected as one may',
      advanced(MANAGEMENT, field('eventSource', { NotEquals: ['kms.amazonaws.com'] })),
      false,
    ],
    ['data of S3', advanced(field('eventCategory', { Equals: ['Data'] })), false],
  ])('with a trail of %s', async (_, selectors, sees) => {
    account.replies = { ...USUAL, trails: [{ name: 'theirs', isLogging: true, selectors }] };
    expect((await found()).trail?.[0]).toBe(sees ? 'ok' : 'warning');
  });

  it('without a trail that logs, nobody is notified of a disabled key', async () => {
    account.replies = { ...USUAL, trails: [] };
    expect((await found()).trail).toEqual(warning(/^There is no trail: nobody learns/));
    account.replies = { ...USUAL, trails: USUAL.trails.map((trail) => ({ ...trail, isLogging: false })) };
    expect((await found()).trail).toEqual(warning(/^No trail records .*\(management-events\)/));
  });
});

describe('the way there', () => {
  it('is tried again, as by the SDK’s own clients, and signed for each service', async () => {
    account.calls.length = 0;
    for (const service of ['lambda', 'apigateway', 'cloudtrail']) account.fail(service, 1, 503, {});
    expect(Object.values(await found()).map(([state]) => state)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(account.calls).toEqual([
      'sts /',
      'lambda /2016-08-19/account-settings/',
      'lambda /2016-08-19/account-settings/',
      'apigateway /account',
      'apigateway /account',
      'apigateway /account',
      'cloudtrail DescribeTrails',
      'cloudtrail DescribeTrails',
      'cloudtrail GetTrailStatus',
      'cloudtrail GetEventSelectors',
    ]);
  });

  it('may be closed to an operator, who then is warned that nobody looked', async () => {
    account.fail('lambda', 1, 403, { __type: 'AccessDeniedException', Message: 'not lambda:GetAccountSettings' });
    account.fail('cloudtrail', 1, 400, { __type: 'com.amazonaws#AccessDeniedException', message: 'not allowed' });
    expect(await found()).toMatchObject({
      quotas: warning(/^Not looked at, .*: not lambda:GetAccountSettings$/),
      'log role': OK(/./),
      trail: warning(/^Not looked at, .*: not allowed$/),
    });
  });

  it('may lead to something else than AWS, which is said in a sentence', async () => {
    account.fail('lambda', 1, 200, { AccountLimit: { ConcurrentExecutions: null } });
    account.fail('apigateway', 1, 200, ['no account']);
    account.fail('cloudtrail', 1, 200, 'a page' as never);
    const instead = /without what its reference describes \(.+\): look whether something else answers in its place/;
    expect(await found()).toMatchObject({ quotas: wrong(instead), 'log role': wrong(instead), trail: wrong(instead) });
  });

  it('may end at STS, without which the rest says nothing', async () => {
    account.fail('sts', 1, 403, { __type: 'ExpiredToken', message: 'The security token is expired' });
    expect(await found()).toMatchObject({
      identity: wrong(/log in to AWS/),
      quotas: ['skipped', 'needs: identity'],
      trail: ['skipped', 'needs: identity'],
    });
  });
});
