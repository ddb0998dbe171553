import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { configureTable } from '#table';
import { listening } from '../support/listening.ts';
import { PausingHandler } from '../support/pauses.ts';
import { prepared } from '../support/prepared.ts';
import { useTableOver } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';
import { type FakeKms, startFakeKms } from './fake-kms.ts';

/** When a login calls KMS: the key is read beside the first read of the table, and signs after the secret was compared. */

const api = useApi();
const org = prepared(() => api.orgToken());

let kms: FakeKms;
beforeAll(async () => {
  kms = await startFakeKms();
});
afterAll(() => {
  kms.stop();
  configureTable({});
});

let containers = 0;
let network: PausingHandler;
/** A container that has not signed anything yet: the keys of an environment are kept by its variables. */
beforeEach(() => {
  containers += 1;
  vi.stubEnv('KEY_FILE', '');
  vi.stubEnv('SIGNING_KEY_ID', `ed25519-login-${containers}`);
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.endpoint);
  network = new PausingHandler();
  useTableOver(network);
  kms.calls.length = 0;
});

const login = (changed: { readonly app_code?: string; readonly secret?: string } = {}) =>
  api.request('POST', '/api/v1/auth/login', { body: { app_code: org.appCode, secret: org.secret, ...changed } });

describe('a login', () => {
  it('reads the key while it reads the credentials, and signs after that', async () => {
    const credentials = network.pauseBefore('GetItem', org.appCode);
    const response = login();
    await credentials.reached;
    await vi.waitFor(() => expect(kms.calls).toEqual(['GetPublicKey']), { timeout: 60_000 });
    credentials.release();
    expect((await response).status).toBe(200);
    expect(kms.calls).toEqual(['GetPublicKey', 'Sign']);
    expect((await login()).status).toBe(200);
    expect(kms.calls).toEqual(['GetPublicKey', 'Sign', 'Sign']);
  });

  it.each([
    ['a wrong secret', { secret: 'x'.repeat(43) }],
    ['an unknown app code', { app_code: 'nobody-at-all' }],
  ])('signs nothing for %s, however often', async (_, wrong) => {
    for (let turn = 0; turn < 3; turn++) expect((await login(wrong)).status).toBe(401);
    expect(kms.calls).toEqual(['GetPublicKey']);
  });

  it('is refused alike where KMS cannot be reached, and does not wait for it', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', 'http://127.0.0.1:1');
    expect((await login({ app_code: 'nobody-there' })).status).toBe(401);
    const hanging = createServer();
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', await listening(hanging));
    vi.stubEnv('SIGNING_KEY_ID', 'hanging');
    onTestFinished(() => void hanging.close());
    onTestFinished(() => hanging.closeAllConnections());
    expect((await login({ app_code: 'nobody-there' })).status).toBe(401);
  });

  it('does not have KMS asked again and again by who is refused, where KMS refuses', async () => {
    vi.stubEnv('SIGNING_KEY_ID', `disabled-${containers}`);
    for (let turn = 0; turn < 3; turn++) expect((await login({ app_code: 'nobody-there' })).status).toBe(401);
    expect(kms.calls).toEqual(['GetPublicKey']);
    expect((await login()).status).toBeGreaterThanOrEqual(500);
    expect(kms.calls).toEqual(['GetPublicKey', 'GetPublicKey']);
  });

  it('reads the key again where KMS could not be reached before', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', 'http://127.0.0.1:1');
    const { status } = await login();
    expect(status).toBeGreaterThanOrEqual(500);
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.endpoint);
    expect((await login()).status).toBe(200);
    expect(kms.calls).toEqual(['GetPublicKey', 'Sign']);
  });
});
