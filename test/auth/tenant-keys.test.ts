import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stsError, stsSession } from '../infra/account/account.ts';
import { freshContainer } from '../support/fresh-module.ts';
import { listening } from '../support/listening.ts';
import { type FakeKms, startFakeKms } from './fake-kms.ts';

/**
 * The credentials under which secrets are encrypted and decrypted. `test/infra/isolation.stack.test.ts` tests the
 * policies.
 */

const servers: Server[] = [];
let environment: Readonly<Record<string, string>>;
async function listen(reply: (request: IncomingMessage, body: string) => Promise<[status: number, body: string]>) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [status, body] = await reply(request, Buffer.concat(chunks).toString());
    // Whose clock is the test's, so that the SDK corrects nothing.
    response.sendDate = false;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(body);
  });
  servers.push(server);
  return listening(server);
}

let kms: FakeKms;
/** Tenants for which STS was asked for a session, in order. */
const opened: (string | null)[] = [];
/** With which key each request to KMS was signed. */
const signedWith: string[] = [];
/** Errors with which the next requests are refused: of STS by the tenant. */
const failures = { kms: [] as string[], sts: new Map<string | null, string[]>() };

beforeAll(async () => {
  kms = await startFakeKms();
  const sts = await listen(async (_, body) => {
    const tenant = new URLSearchParams(body).get('Tags.member.1.Value');
    const failure = failures.sts.get(tenant)?.shift();
    if (failure !== undefined) return [503, stsError(failure)];
    opened.push(tenant);
    const credentials = {
      AWS_ACCESS_KEY_ID: `SESSION${opened.length}`,
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_SESSION_TOKEN: 't',
    };
    return [200, stsSession(credentials)];
  });
  const front = await listen(async ({ headers }, body) => {
    signedWith.push(/Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1] ?? '');
    const failure = failures.kms.shift();
    if (failure !== undefined) return [400, JSON.stringify({ __type: failure, message: failure })];
    const target = { 'x-amz-target': String(headers['x-amz-target']) };
    const reply = await fetch(kms.endpoint, { method: 'POST', headers: target, body });
    return [reply.status, await reply.text()];
  });
  environment = {
    AWS_ENDPOINT_URL_STS: sts,
    AWS_ENDPOINT_URL_KMS: front,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'OWN',
    AWS_SECRET_ACCESS_KEY: 'own',
    TABLE_NAME: 'records',
    TENANT_ROLE_ARN: 'arn:aws:iam::111122223333:role/tenant',
    SECRETS_KEY_ID: 'master',
    SIGNING_KEY_ID: 'ed25519',
    KEY_FILE: '',
  };
});
afterAll(() => {
  kms.stop();
  for (const server of servers) server.close();
});

/** The modules as a new container has them: their clients remember where they were sent. */
const load = async () => {
  const container = freshContainer();
  return {
    ...(await container<typeof import('../../shared/auth/environment.ts')>('shared/auth/environment.ts')),
    ...(await container<typeof import('../../shared/table/index.ts')>('shared/table/index.ts')),
    ...(await container<typeof import('../../shared/http/problems.ts')>('shared/http/problems.ts')),
  };
};
let container: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  container = await load();
});
beforeEach(() => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  // Sessions and clients are opened anew.
  container.configureTable({});
  opened.length = 0;
  signedWith.length = 0;
  failures.kms.length = 0;
  failures.sts.clear();
});

const place = (tenant: string = randomUUID()) => ({ tenant, record: 'service/1' });

describe('a secret', () => {
  it('is encrypted and opened in a session of its tenant', async () => {
    const box = await container.environmentEncryption();
    const [acme, rival] = [place(), place()];
    for (const each of [acme, rival]) expect(await box.decrypt(await box.encrypt('secret', each), each)).toBe('secret');
    expect(opened).toEqual([acme.tenant, rival.tenant]);
    expect(signedWith).toEqual(['SESSION1', 'SESSION2']);
  });

  it('shares the session in which its tenant’s table is reached', async () => {
    const here = place();
    await container.tenantClient(here.tenant).config.credentials();
    await (await container.environmentEncryption()).encrypt('secret', here);
    await container.tenantClient(here.tenant).config.credentials();
    expect([opened, signedWith]).toEqual([[here.tenant], ['SESSION1']]);
  });

  it('gets a new session, once, when KMS says that the old one has ended', async () => {
    const box = await container.environmentEncryption();
    failures.kms.push('ExpiredTokenException');
    await box.encrypt('secret', place());
    expect(signedWith).toEqual(['SESSION1', 'SESSION2']);
    failures.kms.push('ExpiredTokenException', 'ExpiredTokenException');
    await expect(box.encrypt('secret', place())).rejects.toMatchObject({ name: 'ExpiredTokenException' });
  });

  it('waits for an STS that fails in passing: a 503, and the next one is well', async () => {
    const box = await container.environmentEncryption();
    const here = place();
    failures.sts.set(here.tenant, ['Throttling', 'Throttling', 'Throttling']);
    const error = await box.encrypt('secret', here).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: 'Throttling' });
    expect(container.problemOf(error).type).toBe('unavailable');
    await box.encrypt('secret', here);
    expect(signedWith).toEqual(['SESSION1']);
  });

  it('of what is no tenant opens no session', async () => {
    const box = await container.environmentEncryption();
    for (const tenant of ['*', '', `${randomUUID()}*`])
      await expect(box.encrypt('secret', place(tenant)), tenant).rejects.toThrow(TypeError);
    expect([opened, signedWith]).toEqual([[], []]);
  });
});

it('a token is signed by the function itself', async () => {
  await (await container.environmentSigner()).sign(Buffer.from('token'));
  expect(new Set(signedWith)).toEqual(new Set(['OWN']));
  expect(opened).toEqual([]);
});
