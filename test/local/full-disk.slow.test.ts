import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, it, onTestFinished, vi } from 'vitest';
import { environmentTable } from '#table';
import { logger } from '#telemetry';
import { startLocalApi } from '../../local/start.ts';
import { callersAt } from '../support/api.ts';
import { freshDirectory } from '../support/directory.ts';
import { ON_DYNOXIDE } from './start-fixture.ts';

const BLOCK = 4_096;

it('npm start refuses writes while the disk is nearly full, goes on reading, and has stored what it acknowledged', async () => {
  const said = vi.spyOn(logger, 'error').mockReturnValue();
  for (const [name, value] of Object.entries(ON_DYNOXIDE)) vi.stubEnv(name, value);
  let freeBytes = 10 ** 10;
  /** How long the calls of DynamoDB were allowed to take, in milliseconds. */
  let patience: number | undefined;
  const settings = { port: 0, host: '127.0.0.1', dynamoDbEndpoint: undefined, platformSecret: undefined };
  const local = await startLocalApi(
    { ...settings, dataDir: await freshDirectory() },
    {
      fileSystemOf: async () => {
        if (process.env.TABLE_NAME !== undefined) patience = requestTimeout();
        if (Number.isNaN(freeBytes)) throw Object.assign(new Error('no such directory'), { code: 'ENOENT' });
        return { bavail: Math.floor(freeBytes / BLOCK), bsize: BLOCK };
      },
    },
  );
  onTestFinished(() => local.close());
  expect(patience, 'a start waits for an engine that is slow').toBe(10_000);
  const api = callersAt(local.url, local.platform);
  const { token, appCode, secret } = await api.orgToken();
  const create = (name: string) => api.request('POST', '/api/v1/clients', { token, body: { name, slug: name } });
  expect(await create('before')).toMatchObject({ status: 201 });
  expect(patience, 'a request does not').toBe(2_000);

  freeBytes = 199_000_000;
  const refused = await create('meanwhile');
  expect(refused).toMatchObject({ status: 503, body: { type: expect.stringContaining('unavailable') } });
  expect(refused.headers.get('retry-after')).toBe('2');
  const again = await api.login(appCode, secret);
  const read = await api.request('GET', '/api/v1/clients', { token: again });
  expect(read).toMatchObject({ status: 200, body: { total: 1 } });
  expect(said).toHaveBeenCalledWith('The service cannot answer now', {
    error: expect.objectContaining({ message: expect.stringMatching(/^Only 198 MB are free on the disk/) }),
  });

  freeBytes = Number.NaN;
  expect(await create('without-directory')).toMatchObject({ status: 503 });

  freeBytes = 201_000_000;
  expect(await create('after')).toMatchObject({ status: 201 });
  const list = await api.request('GET', '/api/v1/clients', { token });
  expect(list).toMatchObject({ status: 200, body: { total: 2, data: [{ name: 'after' }, { name: 'before' }] } });
});

function requestTimeout(): number | undefined {
  const { requestHandler } = environmentTable().client.config;
  return (requestHandler as NodeHttpHandler).httpHandlerConfigs().requestTimeout;
}
