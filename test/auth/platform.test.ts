import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotUnique } from '#table';
import { createPlatformIntegration } from '../../functions/integrations/platform.ts';
import * as integrationSecrets from '../../functions/integrations/secrets.ts';
import { ensurePlatformIntegration } from '../../local/platform.ts';
import { SetupError } from '../../shared/errors.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ authorizerTtlSeconds: 0 });
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'custodia-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

const login = async (secret: string) =>
  (await api.request('POST', '/api/v1/auth/login', { body: { app_code: 'platform', secret } })).status;

describe('the platform integration of a machine', () => {
  it('keeps the secret of its first start, for its owner only', async () => {
    const first = await ensurePlatformIntegration({ dataDir });
    expect(first).toEqual({ appCode: 'platform', secret: expect.stringMatching(/^cst_/) });
    expect(await ensurePlatformIntegration({ dataDir })).toEqual(first);
    const file = join(dataDir, 'platform-secret');
    expect(await readFile(file, 'utf8')).toBe(`${first.secret}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await login(first.secret)).toBe(200);
  });

  it('takes the secret that is given, and the kept one again when none is', async () => {
    const { secret: kept } = await ensurePlatformIntegration({ dataDir });
    const given = integrationSecrets.generate();
    expect((await ensurePlatformIntegration({ dataDir, secret: given })).secret).toBe(given);
    expect([await login(given), await login(kept)]).toEqual([200, 401]);
    await ensurePlatformIntegration({ dataDir });
    expect([await login(given), await login(kept)]).toEqual([401, 200]);
  });

  it('is one and the same for processes that start at once', async () => {
    const secret = integrationSecrets.generate();
    await Promise.all(Array.from({ length: 4 }, () => ensurePlatformIntegration({ dataDir, secret })));
    const token = await api.login('platform', secret);
    const { body } = await api.request('GET', '/api/v1/integrations', { token });
    expect(body.total).toBe(1);
  });

  it('comes back to life at a start', async () => {
    const { secret } = await ensurePlatformIntegration({ dataDir });
    const token = await api.login('platform', secret);
    const { body } = await api.request<{ data: { id: string }[] }>('GET', '/api/v1/integrations', { token });
    const path = `/api/v1/integrations/${body.data[0]?.id}`;
    await api.request('PATCH', path, { token, body: { status: 'inactive' } });
    expect(await login(secret)).toBe(401);
    await ensurePlatformIntegration({ dataDir });
    expect((await api.request('GET', path, { token: await api.login('platform', secret) })).body.status).toBe('active');
  });

  it('says in a sentence what is wrong with a secret', async () => {
    await expect(ensurePlatformIntegration({ dataDir, secret: 'a'.repeat(40) })).rejects.toThrow(SetupError);
    await writeFile(join(dataDir, 'platform-secret'), '');
    await expect(ensurePlatformIntegration({ dataDir })).rejects.toThrow(/platform-secret cannot be a secret/);
  });
});

describe('a platform key of the operator', () => {
  it('logs in, and is made once', async () => {
    const { id, secret } = await createPlatformIntegration({ app_code: 'operator-key', display_name: 'Ops' });
    const token = await api.login('operator-key', secret);
    expect((await api.request('GET', `/api/v1/integrations/${id}`, { token })).body).toMatchObject({
      org_id: null,
      display_name: 'Ops',
    });
    await expect(createPlatformIntegration({ app_code: 'operator-key', display_name: 'Ops' })).rejects.toThrow(
      NotUnique,
    );
  });
});
