import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codesThatAllow, includeAll } from '#identity';
import { isLiveUser, powerOf, type SignIn, type UserAccess } from '#tenancy';
import { grantsOf } from '../support/user-access.ts';

const USER: UserAccess = { version: 1, epoch: 2, is_active: true, is_superadmin: false, name: 'Ada', grants: [] };
const SIGN_IN: SignIn = { version: 1, membership_access: true, providers: ['p', 'q'] };
const CODES = ['clients:read', 'clients:write', 'tickets:read', 'tickets:write', 'audit:read'] as const;

const codes = fc.uniqueArray(fc.constantFrom(...CODES));
const grants = fc.array(
  fc.record({
    membership_id: fc.uuid(),
    permissions: codes,
    client_id: fc.option(fc.constantFrom('a', 'b', 'c')),
  }),
  { maxLength: 20 },
);
const scopes = fc.option(codes);

const allows = (held: readonly string[], code: string): boolean =>
  codesThatAllow(code).some((each) => held.includes(each));

describe('what a user may do', () => {
  it('is for each client, and for the organization, what one of its own grants and the scope give', () => {
    fc.assert(
      fc.property(grants, scopes, fc.constantFrom(...CODES), (all, scope, code) => {
        const { permissions, clients } = powerOf({ ...USER, grants: all }, SIGN_IN, scope);
        const given = (client: string | null): boolean =>
          (scope === null || allows(scope, code)) &&
          all.some((grant) => grant.client_id === client && allows(grant.permissions, code));
        expect(allows(permissions ?? [], code)).toBe(given(null));
        for (const client of ['a', 'b', 'c']) expect(allows(clients.get(client) ?? [], code)).toBe(given(client));
      }),
    );
  });

  it('is never everything without being a superadmin, nor for a client what only another has', () => {
    fc.assert(
      fc.property(grants, scopes, (all, scope) => {
        const { permissions, clients } = powerOf({ ...USER, grants: all }, SIGN_IN, scope);
        expect(permissions).not.toBeNull();
        for (const [client, held] of clients) {
          const own = all.filter(({ client_id }) => client_id === client).flatMap((grant) => grant.permissions);
          expect(includeAll(own, held)).toBe(true);
        }
      }),
    );
  });

  it('is nothing where the organization does not let users in, or the user is inactive: superadmins neither', () => {
    fc.assert(
      fc.property(grants, scopes, fc.boolean(), (all, scope, is_superadmin) => {
        const user = { ...USER, grants: all, is_superadmin };
        for (const [access, signIn] of [
          [user, { ...SIGN_IN, membership_access: false }],
          [{ ...user, is_active: false }, SIGN_IN],
        ] as const)
          expect(powerOf(access, signIn, scope)).toEqual({ permissions: [], clients: new Map() });
      }),
    );
  });

  it('is everything in its organization for a superadmin, or what its token is narrowed to', () => {
    const user = { ...USER, is_superadmin: true, grants: grantsOf({ clients: { a: ['clients:read'] } }) };
    expect(powerOf(user, SIGN_IN, null)).toEqual({ permissions: null, clients: new Map() });
    expect(powerOf(user, SIGN_IN, ['audit:read']).permissions).toEqual(['audit:read']);
  });
});

describe('a token of a user', () => {
  const signedIn = { tokenEpoch: 2, providerId: 'q' };
  it.each<[string, Partial<UserAccess>, Partial<SignIn>, boolean]>([
    ['is live', {}, {}, true],
    ['ends with the epoch', { epoch: 3 }, {}, false],
    ['is not of a later epoch', { epoch: 1 }, {}, false],
    ['ends with the activity of its user', { is_active: false }, {}, false],
    ['ends with its provider', {}, { providers: ['p'] }, false],
    ['ends where users are let in no more', {}, { membership_access: false }, false],
  ])('%s', (_, access, signIn, isLive) => {
    expect(isLiveUser({ access: { ...USER, ...access }, signIn: { ...SIGN_IN, ...signIn } }, signedIn)).toBe(isLive);
  });

  it('ends with its user', () => {
    expect(isLiveUser(undefined, signedIn)).toBe(false);
  });
});
