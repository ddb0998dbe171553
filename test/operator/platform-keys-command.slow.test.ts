import { afterAll, describe, expect, it } from 'vitest';
import { startFakeKms } from '../auth/fake-kms.ts';
import { loginWith } from '../support/keys.ts';
import { runOperatorAgain } from '../support/operator.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** `custodia create-platform-key` and `platform-keys` as they are run. */

const api = useApi({ authorizerTtlSeconds: 0 });
const kms = prepared(startFakeKms);
afterAll(() => kms.stop());

const operator = (...args: string[]) =>
  runOperatorAgain([...args, '--table', api.table.tableName], { AWS_ENDPOINT_URL_KMS: kms.endpoint });
const rotate = (appCode: string, ...options: string[]) =>
  operator('platform-keys', 'rotate', '--app-code', appCode, '--secrets-key', 'master', ...options);
const disable = (appCode: string, ...options: string[]) =>
  operator('platform-keys', 'disable', '--app-code', appCode, ...options);

async function newKey(app_code: string): Promise<{ id: string; secret: string; token: string }> {
  const { code, stdout } = await operator('create-platform-key', '--app-code', app_code, '--secrets-key', 'master');
  const key = JSON.parse(stdout);
  expect([code, key]).toEqual([0, { id: expect.any(String), app_code, secret: expect.stringMatching(/^cst_/) }]);
  return { ...key, token: await api.login(app_code, key.secret) };
}
const statusWith = async (token: string) => (await callsOf(api, token).ask('GET', '/api/v1/orgs')).status;

describe('custodia platform-keys', () => {
  it('disable cuts off a key with its tokens, and list says so', async () => {
    const { id, secret, token } = await newKey('ops-disabled');
    expect([kms.calls, await statusWith(token)]).toEqual([['GenerateDataKey'], 200]);
    expect(await disable('ops-disabled')).toEqual({ code: 0, stdout: 'ops-disabled is inactive.\n', stderr: '' });
    expect([await statusWith(token), await loginWith(api, 'ops-disabled', secret)]).toEqual([401, 401]);
    const repeated = JSON.parse((await disable('ops-disabled', '--json')).stdout);
    expect(repeated).toMatchObject({ app_code: 'ops-disabled', status: 'inactive', changed: false });

    const { stdout } = await operator('platform-keys', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ app_code: 'platform', status: 'active' }),
      {
        ...{ id, app_code: 'ops-disabled', display_name: 'Platform', status: 'inactive', permissions: null },
        created_at: expect.any(String),
      },
    ]);
    expect((await operator('platform-keys', 'list')).stdout).toMatch(
      new RegExp(`^inactive  \\S+  ${id}  ops-disabled  "Platform"  all permissions$`, 'm'),
    );
  });

  it.each([
    ['at once', [], 401],
    ['when its time is over', ['--previous-valid-for', '3600'], 200],
  ])('rotate prints a secret that works at once; the one before ends %s', async (_, options, statusOfPrevious) => {
    const appCode = `ops-${statusOfPrevious}`;
    const { id, secret, token } = await newKey(appCode);
    const { code, stdout, stderr } = await rotate(appCode, ...options);
    expect([code, stderr]).toEqual([0, 'Keep the secret now: it cannot be shown again.\n']);
    const { secret: rotated, previous_expires_at: until, ...rest } = JSON.parse(stdout);
    expect([rest, until === null]).toEqual([{ id, app_code: appCode }, options.length === 0]);
    if (until !== null) expect(Date.parse(until) - Date.now()).toBeGreaterThan(3_000_000);
    const logins = [await loginWith(api, appCode, secret), await loginWith(api, appCode, rotated)];
    expect([await statusWith(token), ...logins]).toEqual([statusOfPrevious, statusOfPrevious, 200]);
    await disable(appCode);
    const { data } = await callsOf(api, await api.platformToken()).read(`/api/v1/audit-events?record_id=${id}`);
    const byOperator = data.filter(({ actor_type }) => actor_type === 'operator');
    expect(byOperator.map(({ operation, changed_fields }) => [operation, changed_fields])).toEqual([
      ['disablePlatformKey', ['status', 'tokens']],
      ['rotatePlatformKey', expect.arrayContaining(['secret'])],
      ['createPlatformKey', expect.arrayContaining(['secret', 'permissions'])],
    ]);
  });

  it('reach no key of an organization, and say the same of it as of one that is not there', async () => {
    const org = await api.orgToken();
    for (const appCode of [org.appCode, 'nobody']) {
      expect(await disable(appCode)).toEqual({
        code: 2,
        stdout: '',
        stderr: `The platform has no key ${appCode}: custodia platform-keys list shows those that it has.\n`,
      });
      expect((await rotate(appCode)).code).toBe(2);
    }
    expect(await loginWith(api, org.appCode, org.secret)).toBe(200);
  });
});
