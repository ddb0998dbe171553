import { randomUUID } from 'node:crypto';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { loginWith } from '../support/keys.ts';
import { forgetAppCodes } from '../support/other-container.ts';
import type { RawItem } from '../support/table-dump.ts';
import { useApi } from '../support/use-api.ts';

/**
 * What an attacker gains who controls the writes of the function `integrations`, with the rights of its role: any
 * pointer, and any credentials of the attacker's tenant (`test/infra/isolation.stack.test.ts`). No other role of a
 * tenant writes either.
 */

const api = useApi({ authorizerTtlSeconds: 0 });
let attacker: OrgAccess;
let victim: OrgAccess;
beforeEach(async () => {
  [attacker, victim] = await Promise.all([api.orgToken('Attacker'), api.orgToken('Victim')]);
  await forgetAppCodes();
});

const pointer = (appCode: string) => ({ PK: { S: `APP#${appCode}` }, SK: { S: 'TENANT' } });
const credentials = (tenant: string, appCode: string) => ({
  PK: { S: `ORG#${tenant}#CREDENTIALS` },
  SK: { S: appCode },
});

const read = async (Key: RawItem): Promise<RawItem> => {
  const { Item = {} } = await api.table.client.send(new GetItemCommand({ TableName: api.table.tableName, Key }));
  return Item;
};
const plant = (Item: RawItem) => api.table.client.send(new PutItemCommand({ TableName: api.table.tableName, Item }));
const plantPointer = (appCode: string, tenant: string) => plant({ ...pointer(appCode), tenant: { S: tenant } });

/** The attacker's own credentials, with a known secret, under another key and with more fields. */
const plantOwn = async (place: RawItem, more: RawItem = {}) =>
  plant({ ...(await read(credentials(attacker.orgId, attacker.appCode))), ...more, ...place });

const logIn = (appCode: string) => loginWith(api, appCode, attacker.secret);
const orgOfToken = async (appCode: string) => decodeJwt(await api.login(appCode, attacker.secret)).org_id;
const reads = async (token: string) => (await api.request('GET', '/api/v1/clients', { token })).status;

describe('a pointer that was planted', () => {
  it('to another tenant leads to no credentials', async () => {
    const code = `evil-${randomUUID()}`;
    await plantPointer(code, victim.orgId);
    await plantOwn(credentials(attacker.orgId, code));
    expect(await logIn(code)).toBe(401);
    expect(
      (await deliver(api, { appCode: code, secret: attacker.secret }, { event_type: 'x.y', data: {} })).status,
    ).toBe(404);
  });

  it.each([
    ['a longer key of his own tenant', () => `${attacker.orgId}#CLIENT`],
    ['no tenant', () => ''],
    ['a text', () => 'x'],
  ])('to %s leads nowhere, whatever is there', async (_, tenantOf) => {
    const code = `evil-${randomUUID()}`;
    await plantPointer(code, tenantOf());
    await plantOwn(credentials(tenantOf(), code));
    expect(await logIn(code)).toBe(401);
  });

  it('over that of another’s app code makes nobody its holder: tokens go by their tenant, a container that knows the code is not deceived', async () => {
    await api.login(victim.appCode, victim.secret);
    await plantPointer(victim.appCode, attacker.orgId);
    await plantOwn(credentials(attacker.orgId, victim.appCode));
    expect([await reads(victim.token), await loginWith(api, victim.appCode, victim.secret)]).toEqual([200, 200]);
    expect(await logIn(victim.appCode)).toBe(401);
    await forgetAppCodes();
    // The code now leads only to the attacker's own tenant; its owner cannot log in.
    expect(await orgOfToken(victim.appCode)).toBe(attacker.orgId);
    expect([await reads(victim.token), await loginWith(api, victim.appCode, victim.secret)]).toEqual([200, 401]);
  });
});

describe('credentials that were planted', () => {
  it('are those of the tenant and the app code under which they are, whatever they say', async () => {
    const code = `evil-${randomUUID()}`;
    await plantPointer(code, attacker.orgId);
    const claimed = { tenant: { S: victim.orgId }, app_code: { S: victim.appCode } };
    await plantOwn(credentials(attacker.orgId, code), claimed);
    const token = await api.login(code, attacker.secret);
    expect(decodeJwt(token)).toMatchObject({ org_id: attacker.orgId, app_code: code });
    expect((await api.request('GET', `/api/v1/orgs/${victim.orgId}`, { token })).status).toBe(404);
  });
});

describe('a registration', () => {
  it('makes a pointer with the tenant and nothing else, which no other registration changes', async () => {
    const before = await read(pointer(victim.appCode));
    expect(before).toEqual({
      ...pointer(victim.appCode),
      tenant: { S: victim.orgId },
      WRITE_ID: expect.anything(),
    });
    const body = { app_code: victim.appCode, display_name: 'Mine' };
    const responses = await Promise.all(
      [1, 2].map(() => api.request('POST', '/api/v1/integrations', { token: attacker.token, body })),
    );
    expect(responses.map(({ status }) => status)).toEqual([409, 409]);
    expect(await read(pointer(victim.appCode))).toEqual(before);
    expect(await read(credentials(attacker.orgId, victim.appCode))).toEqual({});
  });
});
