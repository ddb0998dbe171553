import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPlatformIntegration } from '../../functions/integrations/platform.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import type { JsonBody, OrgAccess, RequestOptions } from '../support/api.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ authorizerTtlSeconds: 0 });
let org: OrgAccess;
let other: OrgAccess;
let platform: string;
beforeAll(async () => {
  [org, other, platform] = await Promise.all([api.orgToken(), api.orgToken(), api.platformToken()]);
});

const PATH = '/api/v1/integrations';
const appCode = (): string => `app-${randomUUID()}`;
const SUPPLIED = 'Zq8-unlucky-scallop-jovial-repaint-crumb-onion-71';
const register = (body: JsonBody, options: RequestOptions = { token: org.token }) =>
  api.request('POST', PATH, { ...options, body: { app_code: appCode(), display_name: 'Billing', ...body } });
const patch = (id: unknown, body: JsonBody, token = org.token) =>
  api.request('PATCH', `${PATH}/${id}`, { token, body });
const pointers = (body: JsonBody): unknown[] => (body.errors as JsonBody[]).map(({ pointer }) => pointer);

describe('registering an integration', () => {
  it('shows the secret once, and it logs in', async () => {
    const code = appCode();
    const metadata = { team: 'ops', big: 1e300 };
    const { status, headers, body } = await register({ app_code: code, metadata });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      org_id: org.orgId,
      app_code: code,
      display_name: 'Billing',
      status: 'active',
      permissions: null,
      metadata,
      rate_limit: null,
      webhook_tolerance_seconds: null,
      created_at: expect.any(String),
      secret: expect.stringMatching(/^cst_[\w-]{43}$/),
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('location')).toBe(`${PATH}/${body.id}`);
    expect(headers.get('etag')).toBeNull();
    await expect(api.login(code, String(body.secret))).resolves.toBeTypeOf('string');

    const { secret, ...record } = body;
    expect((await api.request('GET', `${PATH}/${body.id}`, { token: org.token })).body).toEqual(record);
    const list = await api.request('GET', `${PATH}?page_size=200`, { token: org.token });
    expect(list.body.data).toContainEqual(record);
    expect(JSON.stringify(list.body)).not.toContain(secret);
  });

  it('takes a secret that is supplied', async () => {
    const { status, body } = await register({ secret: SUPPLIED });
    expect([status, body.secret]).toEqual([201, SUPPLIED]);
    await api.login(String(body.app_code), SUPPLIED);
  });

  it('refuses an app code that is taken anywhere, and keeps nothing of the try', async () => {
    const total = async () => (await api.request('GET', PATH, { token: other.token })).body.total;
    const before = await total();
    const { status, body } = await register({ app_code: org.appCode }, { token: other.token });
    expect([status, body.type, pointers(body)]).toEqual([
      409,
      'urn:problem-type:custodia:already-exists',
      ['#/app_code'],
    ]);
    expect(await total()).toBe(before);
    await api.login(org.appCode, org.secret);
  });

  it.each(['acme-', '-acme', 'acme--', '---'])('refuses the app code %s', async (app_code) => {
    const { status, body } = await register({ app_code });
    expect([status, pointers(body)]).toEqual([422, ['#/app_code']]);
  });

  it('serves an integration of an earlier version, whose app code ends with "-"', async () => {
    const code = `${appCode()}-`;
    const { id, secret } = await createPlatformIntegration({ app_code: code, display_name: 'Old' });
    const token = await api.login(code, secret);
    const { status, body } = await api.request('GET', `${PATH}/${id}`, { token });
    expect([status, body.app_code]).toEqual([200, code]);
    const raw = '{"event_type":"till.opened","data":{}}';
    const headers = { 'Content-Type': 'application/json', 'X-Event-ID': 'one', 'X-Signature': sign(raw, secret) };
    expect((await api.request('POST', `/api/v1/webhooks/${code}`, { raw, headers })).status).toBe(200);
    const sentBack = { display_name: 'Older', app_code: code };
    expect((await api.request('PATCH', `${PATH}/${id}`, { token, body: sentBack })).status).toBe(200);
    const rotated = await api.request('POST', `${PATH}/${id}/rotate-secret`, { token, body: {} });
    await api.login(code, String(rotated.body.secret));
  });

  it('holds a supplied secret to the policy, that of a first key too', async () => {
    const code = appCode();
    for (const token of [org.token, undefined]) {
      for (const secret of [
        'short',
        'x'.repeat(40),
        `${SUPPLIED}é`,
        null,
        `${code}${'0'.repeat(20)}`,
        `2026${code}2026`,
      ]) {
        const { status, body } = await register({ app_code: code, secret }, token === undefined ? {} : { token });
        expect([status, pointers(body)], String(secret)).toEqual([422, ['#/secret']]);
      }
    }
  });

  it('refuses a secret of a megabyte as fast as it reads it', async () => {
    const { status, body } = await register({ secret: `${'a'.repeat(1_000_000)}b` }, {});
    expect([status, pointers(body)]).toEqual([422, ['#/secret']]);
  });
});

describe('whose integration it is', () => {
  it('is the caller’s own organization’s, named or not', async () => {
    expect((await register({ org_id: org.orgId })).body.org_id).toBe(org.orgId);
    expect((await register({ org_id: org.orgId.toUpperCase() })).body.org_id).toBe(org.orgId);
  });
});

describe('changing an integration', () => {
  it('shuts the door at once and opens it again', async () => {
    const { body } = await register({});
    const tryLogin = () =>
      api.request('POST', '/api/v1/auth/login', { body: { app_code: body.app_code, secret: body.secret } });
    await patch(body.id, { status: 'inactive' });
    expect((await tryLogin()).status).toBe(401);
    await patch(body.id, { status: 'active' });
    expect((await tryLogin()).status).toBe(200);
  });

  it('leaves credentials and record in one state when many change it at once', async () => {
    const { body } = await register({});
    const statuses = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 'inactive' : 'active'));
    const responses = await Promise.all(statuses.map((status) => patch(body.id, { status })));
    expect(responses.map(({ status }) => status)).toEqual(statuses.map(() => 200));
    const { body: after } = await api.request('GET', `${PATH}/${body.id}`, { token: org.token });
    const { status } = await api.request('POST', '/api/v1/auth/login', {
      body: { app_code: body.app_code, secret: body.secret },
    });
    expect(status).toBe(after.status === 'active' ? 200 : 401);
  });
});

describe('the first key', () => {
  const anonymous = (body: JsonBody, options: RequestOptions = {}) => register(body, options);

  it('comes with a new organization, which has a slug of its own', async () => {
    const display_name = 'São José & Filhos';
    const { status, body } = await anonymous({ display_name });
    expect([status, body.secret]).toEqual([201, expect.any(String)]);
    const token = await api.login(String(body.app_code), String(body.secret));
    const { body: own } = await api.request('GET', `/api/v1/orgs/${body.org_id}`, { token });
    const slug = `${body.app_code}-${String(body.org_id).slice(0, 8)}`;
    expect(own).toMatchObject({ id: body.org_id, name: display_name, slug, settings: {} });
    expect((await api.request('GET', '/api/v1/clients', { token })).body.total).toBe(0);
  });

  it('takes an id for the organization that nobody has', async () => {
    const org_id = randomUUID();
    expect((await anonymous({ org_id })).body.org_id).toBe(org_id);
    const again = await anonymous({ org_id });
    expect([again.status, again.body.type]).toEqual([401, 'urn:problem-type:custodia:unauthorized']);
  });

  it('is never for an organization that exists, and leaves no trace there', async () => {
    const everything = async () => {
      const { Items = [] } = await api.table.client.send(new ScanCommand({ TableName: api.table.tableName }));
      return Items.filter(({ PK }) => PK?.S?.startsWith(`ORG#${org.orgId}#`));
    };
    const before = await everything();
    const { status } = await anonymous({ org_id: org.orgId });
    expect(status).toBe(401);
    expect(await everything()).toEqual(before);
  });

  it('is never for the platform', async () => {
    expect((await anonymous({ org_id: null })).status).toBe(401);
  });

  it('goes to one of many who want the same organization at once', async () => {
    const org_id = randomUUID();
    const responses = await Promise.all(Array.from({ length: 6 }, () => anonymous({ org_id })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401, 401, 401]);
    const winner = responses.find(({ status }) => status === 201)?.body;
    const token = await api.login(String(winner?.app_code), String(winner?.secret));
    expect((await api.request('GET', PATH, { token })).body.total).toBe(1);
  });

  it('is not for a taken app code', async () => {
    const org_id = randomUUID();
    expect((await anonymous({ org_id, app_code: org.appCode })).status).toBe(409);
    expect((await api.request('GET', `/api/v1/orgs/${org_id}`, { token: platform })).status).toBe(404);
  });

  it('is not for who sends a bad token, even an empty one', async () => {
    for (const authorization of ['', 'Bearer ', 'Bearer nonsense', 'Basic eDp5']) {
      expect((await anonymous({}, { headers: { authorization } })).status).toBe(401);
    }
  });
});
