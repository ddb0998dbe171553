import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeKms, startFakeKms } from '../auth/fake-kms.ts';
import { type Api, startApi } from '../support/api.ts';
import { runOperator } from '../support/operator.ts';

let api: Api;
let kms: FakeKms;
beforeAll(async () => {
  [api, kms] = await Promise.all([startApi(), startFakeKms()]);
});
afterAll(() => {
  kms.stop();
  return api.close();
});

/** Runs the command line with this process's own environment, which reaches the table, and a KMS. */
const operator = (...options: string[]) =>
  runOperator(['create-platform-key', '--table', api.table.tableName, '--secrets-key', 'master', ...options], {
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
  });

describe('custodia create-platform-key', () => {
  it('prints a key that opens the platform, and only the key', async () => {
    const { code, stdout } = await operator('--app-code', 'ops-key');
    expect([code, kms.calls]).toEqual([0, ['GenerateDataKey']]);
    const key = JSON.parse(stdout);
    expect(key).toEqual({ id: expect.any(String), app_code: 'ops-key', secret: expect.stringMatching(/^cst_/) });
    const token = await api.login(key.app_code, key.secret);
    expect((await api.request('GET', '/api/v1/orgs', { token })).status).toBe(200);
  });

  it('says in a line what is wrong', async () => {
    expect(await operator('--app-code', 'platform')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'An integration with this app code exists already.\n',
    });
    const { code, stdout, stderr } = await operator('--app-code', 'a b');
    expect([code, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
    expect(stderr).toMatch(/^--app-code must be /);
  });
});
