import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callerOf, clientPermissionsText, mayDo, narrowedToClients, type UserCaller } from '#identity';
import { aUser, authorizerContext, userContext } from '../support/caller.ts';

const ORG = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const [A, B] = ['87d6100d-2b60-4804-a455-bee764ff52a6', '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35'];

const codes = fc.uniqueArray(fc.constantFrom('clients:read', 'clients:write', 'tickets:read', 'tickets:write'));
const byClient = fc.array(fc.tuple(fc.uuid(), codes), { maxLength: 10 }).map((entries) => new Map(entries));

it('reads a user from the context of the authorizer', () => {
  const context = userContext(ORG, {
    permissions: 'tickets:read tickets:write',
    client_permissions: clientPermissionsText(new Map([[A, ['clients:read']]])),
    scope: 'tickets:write',
    access_version: '7',
    sign_in_version: '2',
  });
  expect(callerOf(context)).toMatchObject({
    ...{ type: 'user', id: context.user_id, userId: context.user_id, name: 'Ada', orgId: ORG, proof: 'token' },
    ...{ permissions: new Set(['tickets:read', 'tickets:write']), scope: ['tickets:write'], clients: null },
    ...{ clientPermissions: new Map([[A, new Set(['clients:read'])]]), rateLimit: null },
    ...{ accessVersion: 7, signInVersion: 2, providerId: context.provider_id },
  });
});

it('passes on what a user may do for each client', () => {
  fc.assert(
    fc.property(byClient, (held) => {
      const caller = aUser(ORG, { client_permissions: clientPermissionsText(held) });
      expect(caller.clientPermissions).toEqual(new Map([...held].map(([id, all]) => [id, new Set(all)])));
    }),
  );
});

it('takes ten clients with a hundred permissions each in less than the authorizer may pass on', () => {
  const all = Array.from({ length: 100 }, (_, index) => `maintenance-windows-${index}:write`);
  const held = new Map(Array.from({ length: 10 }, () => [crypto.randomUUID(), all] as const));
  expect(clientPermissionsText(held).length).toBeLessThan(6_000);
});

it.each([
  ['no id', { user_id: '' }],
  ['an id that is none', { user_id: 'x' }],
  ['no name', { name: '' }],
  ['no organization, as of the platform', { org_id: '' }],
  ['no provider', { provider_id: undefined }],
  ['another type', { type: 'api_key' }],
  ['no type, and no integration', { type: undefined }],
  ['a version that is no number', { access_version: '1.5' }],
  ['text that is no JSON', { client_permissions: '{' }],
  ['JSON of another kind', { client_permissions: '[]' }],
  ['JSON null', { client_permissions: 'null' }],
  ['a client that is none', { client_permissions: '{"clients":["x"],"codes":{}}' }],
  ['a list for codes', { client_permissions: '{"clients":[],"codes":[]}' }],
  ['a place without a client', { client_permissions: `{"clients":["${A}"],"codes":{"clients:read":[1]}}` }],
  ['a place before the first', { client_permissions: `{"clients":["${A}"],"codes":{"clients:read":[-1]}}` }],
  ['no client permissions', { client_permissions: undefined }],
])('takes no context of a user with %s', (_, changes) => {
  expect(callerOf({ ...userContext(ORG), ...changes })).toBeUndefined();
});

it('takes no context that is of a user and of an integration for the integration', () => {
  const integration = authorizerContext(ORG, { permissions: '*' });
  expect(callerOf({ ...integration, ...userContext(ORG, { permissions: '' }) })).toMatchObject({
    type: 'user',
    permissions: new Set(),
  });
  expect(callerOf({ ...integration, type: 'user' })).toBeUndefined();
  expect(callerOf({ ...integration, type: undefined })).toBeUndefined();
});

it('narrows a request to the clients for whom its permission is held, and to what is held for each of them', () => {
  const caller = aUser(ORG, {
    permissions: 'services:read',
    client_permissions: clientPermissionsText(
      new Map([
        [A, ['tickets:write', 'terminals:read']],
        [B, ['tickets:read', 'terminals:write', 'clients:write']],
      ]),
    ),
  });
  const narrowed = narrowedToClients(caller, 'tickets:read');
  expect(narrowed?.clients).toEqual([A, B]);
  expect(narrowed?.permissions).toEqual(new Set(['services:read', 'tickets:read', 'terminals:read']));
  const toOne = narrowedToClients(caller, 'clients:read');
  expect(toOne?.clients).toEqual([B]);
  expect(toOne && mayDo(toOne, 'terminals:write')).toBe(true);
  expect(narrowedToClients(caller, 'audit:read')).toBeUndefined();
});

it('never gives a request more than the user holds for each of its clients, or for all', () => {
  const held = (caller: UserCaller, client: string, code: string): boolean =>
    mayDo(caller, code) || mayDo({ ...caller, permissions: caller.clientPermissions.get(client) ?? null }, code);
  fc.assert(
    fc.property(byClient, codes, fc.constantFrom('clients:read', 'tickets:write'), (clients, whole, permission) => {
      const context = { permissions: whole.join(' '), client_permissions: clientPermissionsText(clients) };
      const caller = aUser(ORG, context);
      const narrowed = narrowedToClients(caller, permission);
      if (narrowed === undefined) {
        for (const client of clients.keys())
          expect(mayDo({ ...caller, permissions: caller.clientPermissions.get(client) ?? null }, permission)).toBe(
            false,
          );
        return;
      }
      expect(narrowed.clients).not.toEqual([]);
      for (const client of narrowed.clients ?? [])
        for (const code of narrowed.permissions ?? []) expect(held(caller, client, code)).toBe(true);
    }),
  );
});

it('narrows nobody who has all permissions, and no integration', () => {
  expect(narrowedToClients(aUser(ORG, { permissions: '*' }), 'clients:read')).toBeUndefined();
});
