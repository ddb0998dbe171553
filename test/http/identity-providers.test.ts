import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable, type TenantId } from '#table';
import { signInKey } from '#tenancy';
import { differencesOf } from '../operator/damaged-tenant.ts';
import type { JsonBody } from '../support/api.ts';
import { GatedHandler } from '../support/gate.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

const gate = new GatedHandler();
const api = useApi();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const org = prepared(() => newTenant(api));
const PATH = '/api/v1/identity-providers';

const fieldsOf = (fields: JsonBody = {}) => ({
  name: 'Acme',
  issuer: `https://id.example/${randomUUID()}`,
  audiences: ['custodia'],
  ...fields,
});
const make = (fields: JsonBody = {}, by: Calls = org) => by.ask('POST', PATH, fieldsOf(fields));
const providers = async (orgId = org.orgId) => {
  const { client, name: TableName } = environmentTable();
  const Key = { ...signInKey(orgId as TenantId) };
  return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item?.providers;
};

describe('an identity provider', () => {
  it('is made with what tokens are checked by, and is one of the sign-in item while it is active', async () => {
    const { status, body } = await make({ email_domains: ['Acme.Example', 'bücher.example'] });
    expect([status, body]).toMatchObject([
      201,
      {
        algorithms: ['RS256'],
        email_domains: ['acme.example', 'xn--bcher-kva.example'],
        required_claims: {},
        status: 'active',
      },
    ]);
    expect(await providers()).toContain(body.id);
    const path = `${PATH}/${body.id}`;
    for (const [state, isIn] of [
      ['inactive', false],
      ['active', true],
    ] as const) {
      expect((await org.ask('PATCH', path, { status: state })).status).toBe(200);
      expect(((await providers()) as string[]).includes(String(body.id))).toBe(isIn);
    }
    expect((await org.ask('DELETE', path)).status).toBe(204);
    expect(await providers()).not.toContain(body.id);
    expect((await org.read('/api/v1/audit-events')).data[0]).toMatchObject({ record_type: 'IdentityProvider' });
    expect(await differencesOf(org.orgId)).toEqual([]);
  });

  it.each([
    'http://id.example/a',
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/Organizations/v2.0',
    'https://login.microsoftonline.com/consumers/v2.0',
    'https://login.microsoftonline.com/{tenantid}/v2.0',
    'https://169.254.169.254/latest',
    'https://user:secret@id.example/',
    'https://id.example/#a',
    'https://id.example/?tenant=a',
  ])('has no issuer %s', async (issuer) => {
    const { status, body } = await make({ issuer });
    expect([status, body.errors]).toEqual([422, pointsAt('issuer')]);
  });

  it.each([
    ['algorithms', ['HS256']],
    ['algorithms', ['none']],
    ['algorithms', []],
    ['audiences', []],
    ['email_domains', ['localhost']],
    ['email_domains', ['a@acme.example']],
    ['required_claims', { groups: ['a'] }],
    ['required_claims', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`c${index}`, 'x']))],
  ])('has no %s %j', async (field, value) => {
    const { status, body } = await make({ [field]: value });
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, expect.stringMatching(`^#/${field}`)]);
  });

  it('has an issuer that another organization may have too, never changes, and no other provider here has', async () => {
    const issuer = `https://id.example/${randomUUID()}`;
    const { body } = await make({ issuer });
    expect((await make({ issuer })).body.errors).toEqual(pointsAt('issuer'));
    expect((await make({ issuer: `${issuer}/` })).status).toBe(201);
    expect((await make({ issuer }, await newTenant(api))).status).toBe(201);
    const changed = await org.ask('PATCH', `${PATH}/${body.id}`, { issuer: `${issuer}/other` });
    expect(changed.status).toBe(422);
  });
});

describe('whoever decides who signs in', () => {
  it('has all permissions: a weaker key reads, and changes nothing', async () => {
    const { body } = await make();
    const weak = await keyMadeBy(api, org, { permissions: ['identity-providers:write', 'users:write'] });
    const path = `${PATH}/${body.id}`;
    expect((await weak.ask('GET', path)).status).toBe(200);
    expect((await make({}, weak)).status).toBe(403);
    expect((await weak.ask('PATCH', path, { audiences: ['mine'] })).status).toBe(403);
    expect((await weak.ask('DELETE', path)).status).toBe(403);
  });

  it('is not cut off while the request is under way', async () => {
    const other = await keyMadeBy(api, org);
    const arrived = gate.hold('TransactWriteItems');
    const making = make({}, other);
    const release = await arrived;
    expect((await org.ask('PATCH', other.path, { status: 'inactive' })).status).toBe(200);
    release();
    expect((await making).status).toBe(401);
  });
});

it('an organization has 20 at most, however many are made at once', async () => {
  const full = await newTenant(api);
  for (let count = 0; count < 18; count++) expect((await make({ status: 'inactive' }, full)).status).toBe(201);
  const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await make({}, full)).status));
  expect(statuses.toSorted()).toEqual([201, 201, 409, 409]);
  expect(await providers(full.orgId)).toHaveLength(2);
  expect(await differencesOf(full.orgId)).toEqual([]);
});
