import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeKms, startFakeKms } from '../auth/fake-kms.ts';
import { type Api, startApi } from '../support/api.ts';
import { loginWith } from '../support/keys.ts';
import { runOperator } from '../support/operator.ts';
import { callsOf } from '../support/tenant-calls.ts';

let api: Api;
let kms: FakeKms;
beforeAll(async () => {
  [api, kms] = await Promise.all([startApi({ authorizerTtlSeconds: 0 }), startFakeKms()]);
});
afterAll(() => {
  kms.stop();
  return api.close();
});

const operator = (...args: string[]) =>
  runOperator([...args, '--table', api.table.tableName], { AWS_ENDPOINT_URL_KMS: kms.endpoint });
const withSecrets = (...args: string[]) => operator(...args, '--secrets-key', 'master');

async function newKey(appCode: string): Promise<{ id: string; secret: string }> {
  return JSON.parse((await withSecrets('create-platform-key', '--app-code', appCode)).stdout);
}
const statusWith = async (token: string) => (await callsOf(api, token).ask('GET', '/api/v1/orgs')).status;

describe('custodia platform-keys', () => {
  it('disable cuts off a key with its tokens, and list says so', async () => {
    const { id, secret } = await newKey('ops-disabled');
    const token = await api.login('ops-disabled', secret);
    expect(await statusWith(token)).toBe(200);
    expect(await operator('platform-keys', 'disable', '--app-code', 'ops-disabled')).toEqual({
      code: 0,
      stdout: 'ops-disabled is inactive.\n',
      stderr: '',
    });
    expect([await statusWith(token), await loginWith(api, 'ops-disabled', secret)]).toEqual([401, 401]);
    const again = await operator('platform-keys', 'disable', '--app-code', 'ops-disabled', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ app_code: 'ops-disabled', status: 'inactive', changed: false });

    const { stdout } = await operator('platform-keys', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ app_code: 'platform', status: 'active' }),
      { id, app_code: 'ops-disabled', display_name: 'Platform', status: 'inactive', created_at: expect.any(String) },
    ]);
    expect((await operator('platform-keys', 'list')).stdout).toMatch(
      /^inactive {2}\S+ {2}ops-disabled {2}"Platform"$/m,
    );
  });

  it('rotate prints a secret that works at once, in place of the one before', async () => {
    const { id, secret: before } = await newKey('ops-rotated');
    const token = await api.login('ops-rotated', before);
    const { code, stdout, stderr } = await withSecrets('platform-keys', 'rotate', '--app-code', 'ops-rotated');
    const rotated = JSON.parse(stdout);
    expect([code, stderr]).toEqual([0, 'Keep the secret now: it cannot be shown again.\n']);
    expect(rotated).toEqual({
      id,
      app_code: 'ops-rotated',
      secret: expect.stringMatching(/^cst_/),
      previous_expires_at: null,
    });
    expect([
      await statusWith(token),
      await loginWith(api, 'ops-rotated', before),
      await loginWith(api, 'ops-rotated', rotated.secret),
    ]).toEqual([401, 401, 200]);
  });

  it('rotate leaves the one before for as long as it is told to', async () => {
    const { secret: before } = await newKey('ops-overlap');
    const token = await api.login('ops-overlap', before);
    const rotate = ['platform-keys', 'rotate', '--app-code', 'ops-overlap', '--previous-valid-for', '3600'];
    const { secret, previous_expires_at } = JSON.parse((await withSecrets(...rotate)).stdout);
    expect(Date.parse(previous_expires_at) - Date.now()).toBeGreaterThan(3_000_000);
    expect([
      await statusWith(token),
      await loginWith(api, 'ops-overlap', before),
      await loginWith(api, 'ops-overlap', secret),
    ]).toEqual([200, 200, 200]);
  });

  it('leave events of the operator in the platform’s audit log', async () => {
    const { id } = await newKey('ops-audited');
    await withSecrets('platform-keys', 'rotate', '--app-code', 'ops-audited');
    await operator('platform-keys', 'disable', '--app-code', 'ops-audited');
    const { data } = await callsOf(api, await api.platformToken()).read(`/api/v1/audit-events?record_id=${id}`);
    expect(data.map(({ operation, actor_type, changed_fields }) => [operation, actor_type, changed_fields])).toEqual([
      ['disablePlatformKey', 'operator', ['status', 'tokens']],
      ['rotatePlatformKey', 'operator', ['secret', 'tokens']],
      ['createPlatformKey', 'operator', expect.arrayContaining(['secret', 'permissions'])],
    ]);
  });

  it('reach no key of an organization, and say the same of it as of one that is not there', async () => {
    const org = await api.orgToken();
    for (const appCode of [org.appCode, 'nobody']) {
      expect(await operator('platform-keys', 'disable', '--app-code', appCode)).toEqual({
        code: 2,
        stdout: '',
        stderr: `The platform has no key ${appCode}: custodia platform-keys list shows those that it has.\n`,
      });
      expect((await withSecrets('platform-keys', 'rotate', '--app-code', appCode)).code).toBe(2);
    }
    expect(await loginWith(api, org.appCode, org.secret)).toBe(200);
  });

  it('say in a line what cannot be', async () => {
    const { code, stderr } = await withSecrets(
      'platform-keys',
      'rotate',
      '--app-code',
      'x',
      '--previous-valid-for',
      '-1',
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: option '--previous-valid-for .* must be a whole/),
    ]);
  });
});
