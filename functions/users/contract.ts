import * as z from 'zod';
import { contract, created, crud, declared, noContent, ok, route, unique, wholeListOf } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { identity, membership, user } from '../access/contract.ts';
import { identityExample, membershipExample } from '../access/examples.ts';
import { withExternalId } from '../clients/words.ts';

const example = {
  id: membershipExample.user_id,
  email: 'ines@acme.example',
  external_id: 'hr-204',
  name: 'Inês Duarte',
  phone: '+351 210 000 000',
  avatar_url: 'https://acme.example/ines.png',
  is_superadmin: false,
  is_active: true,
  created_at: '2026-11-20T09:30:00.000Z',
  last_login: null,
};

const codes = (text: string) => z.array(field.text(81)).max(1_000).describe(text);
const whose = () => field.reference('User').describe('Whose it is.');

const userAccess = declared(() =>
  z
    .strictObject({
      user_id: whose(),
      is_active: field.flag().describe('Whether it belongs to the organization: otherwise it does nothing.'),
      is_superadmin: field.flag().describe('Whether it does everything in its organization.'),
      membership_access: field
        .flag()
        .describe('Whether the organization lets its users in: otherwise they do nothing.'),
      grants: z
        .array(
          z.strictObject({
            membership_id: field.reference('Membership').describe('The membership that gives it.'),
            role_id: field.reference('Role').nullable().describe('The role of the membership.'),
            client_id: field
              .reference('Client')
              .nullable()
              .describe('The client to whom it is limited; null for none.'),
            permissions: codes('What the role permits.'),
          }),
        )
        .max(20)
        .describe('Of its active memberships, those whose role has permissions.'),
      permissions: codes('What it may do in the whole organization; null for everything.').nullable(),
      clients: z
        .array(
          z.strictObject({
            client_id: field.reference('Client').describe('The client.'),
            permissions: codes('What it may do for this client.'),
          }),
        )
        .max(10)
        .describe('What it may do besides for single clients. What two clients permit is never united.'),
    })
    .describe('What a user may do.')
    .meta({ id: 'UserAccess' }),
);

const offboarding = declared(() =>
  z
    .strictObject({
      user_id: whose(),
      ended_memberships: field.count().describe('Memberships that are inactive now.'),
      removed_identities: field.count().describe('Identities that are gone now.'),
      unassigned_tickets: field.count().describe('Open tickets that are nobody’s now.'),
      done: field.flag().describe('Whether nothing is left. Otherwise send the request again.'),
    })
    .describe('What a request has ended of a user who leaves.')
    .meta({ id: 'Offboarding' }),
);

const accessExample = {
  user_id: membershipExample.user_id,
  is_active: true,
  is_superadmin: false,
  membership_access: true,
  grants: [
    {
      membership_id: membershipExample.id,
      role_id: membershipExample.role_id,
      client_id: null,
      permissions: ['tickets:read', 'tickets:write'],
    },
  ],
  permissions: ['tickets:read', 'tickets:write'],
  clients: [],
};

const NEEDS_POWER = 'Needs all permissions of the roles of the user; for superadmins a platform caller.';

const usual = crud(user, { path: '/api/v1/users', one: 'a user', many: 'users', example });

export const users = contract({
  name: 'users',
  tag: 'Users',
  description: 'The people of an organization, who sign in through its identity providers.',
  routes: {
    listUsers: usual.list({
      extension: true,
      query: () => ({
        ...parameter.page(),
        is_active: parameter
          .flag()
          .optional()
          .describe('Only users who belong to the organization at present, or (`false`) only the others.'),
        email: unique(field.email(), { comparedAs: 'mail-address' })
          .optional()
          .describe('Only the user with exactly this address, in whatever case or form of its domain.'),
        external_id: withExternalId('user'),
        q: parameter.words('name or the mail address', 'ines@'),
      }),
      further: () => ({
        role: parameter.filter({ field: 'role', as: 'anyOf' }, () =>
          parameter.anyOf(
            field.code(),
            'Small lists: users with an active membership in this role, by the id or code of the role. Needs the ' +
              'permission `memberships:read`, and for codes `roles:read`.',
            true,
          ),
        ),
      }),
    }),
    createUser: usual.create({
      privileged: true,
      extension: true,
      bodyExample: { email: example.email, name: example.name, phone: example.phone },
    }),
    upsertUser: usual.upsert({
      description:
        'An existing user gets the fields that are sent, under the conditions of a change, and keeps the others. ' +
        'With `If-Match` nothing is created, with `If-None-Match: *` nothing changed.',
      privileged: true,
      errors: ['conflict'],
      bodyExample: { email: example.email, name: example.name },
    }),
    getUser: usual.read(),
    listUserChanges: usual.changes(),
    updateUser: usual.update({
      description:
        'A change of `email` or `is_active` needs all permissions of the roles of the user. Only platform callers ' +
        'change `is_superadmin`, and any field of a superadmin. A user does not become one with an identity that a ' +
        'caller with fewer permissions has linked: 409.',
      privileged: true,
      errors: ['not-found', 'conflict'],
      bodyExample: { is_active: false },
    }),
    deleteUser: usual.remove({
      summary: 'Delete a user without memberships',
      description: 'Only platform callers delete superadmins.',
      privileged: true,
      extension: true,
      errors: ['not-found', 'still-in-use'],
    }),
    listUserIdentities: route('GET', '/api/v1/users/{id}/identities', {
      summary: 'List the identities of a user',
      description: 'By what identity providers know it, the oldest first.',
      extension: true,
      permission: 'users:read',
      params: usual.params,
      response: wholeListOf(identity, 'The identities of the user.', identityExample),
      errors: ['not-found'],
    }),
    linkIdentity: route('POST', '/api/v1/users/{id}/identities', {
      summary: 'Link an identity to a user',
      description: `Who signs in by it is this user. At most ten a user. ${NEEDS_POWER}`,
      extension: true,
      permission: 'users:write',
      privileged: true,
      params: usual.params,
      body: identity.create,
      bodyExample: { provider_id: identityExample.provider_id, subject: identityExample.subject },
      response: created(identity, 'The linked identity.', identityExample),
      errors: ['not-found', 'conflict'],
    }),
    unlinkIdentity: route('DELETE', '/api/v1/users/{id}/identities/{identity_id}', {
      summary: 'Unlink an identity of a user',
      description: `The tokens of the user end. ${NEEDS_POWER}`,
      extension: true,
      permission: 'users:write',
      privileged: true,
      cutsOff: true,
      params: () => ({ ...usual.params(), identity_id: field.reference('Identity') }),
      response: noContent('The identity is unlinked.'),
      errors: ['not-found'],
    }),
    getUserAccess: route('GET', '/api/v1/users/{id}/access', {
      summary: 'Read what a user may do',
      description: 'Or could do, while its organization does not let users in. Needs `memberships:read`, too.',
      extension: true,
      permission: 'users:read',
      params: usual.params,
      response: ok(userAccess, 'What its active memberships give.', accessExample),
      errors: ['not-found'],
    }),
    revokeUserTokens: route('POST', '/api/v1/users/{id}/revoke-tokens', {
      summary: 'End the tokens of a user',
      description: `It may sign in again. ${NEEDS_POWER}`,
      extension: true,
      permission: 'users:write',
      privileged: true,
      cutsOff: true,
      params: usual.params,
      response: ok(user, 'The user, unchanged.', example),
      errors: ['not-found'],
    }),
    offboardUser: route('POST', '/api/v1/users/{id}/offboard', {
      summary: 'Let a user leave',
      description:
        'It is inactive at once, without tokens and identities. Its memberships become inactive and its open tickets ' +
        `nobody’s: some 20 memberships and 110 tickets a request. Repeat it until \`done\`. ${NEEDS_POWER}`,
      extension: true,
      permission: 'users:write',
      privileged: true,
      cutsOff: true,
      params: usual.params,
      response: ok(offboarding, 'What this request has ended.', {
        user_id: membershipExample.user_id,
        ended_memberships: 2,
        removed_identities: 1,
        unassigned_tickets: 7,
        done: true,
      }),
      errors: ['not-found'],
    }),
    listUserMemberships: route('GET', '/api/v1/users/{id}/memberships', {
      summary: 'List the memberships of a user',
      description: 'Oldest first.',
      permission: 'memberships:read',
      params: usual.params,
      query: parameter.cursor,
      response: wholeListOf(membership, 'The memberships of the user.', membershipExample),
      errors: ['not-found'],
    }),
    createMembership: route('POST', '/api/v1/users/memberships', {
      event: { type: 'membership.created' },
      summary: 'Make a user a member',
      description:
        'Of the organization, or of one of its clients. Needs all permissions of the role. A user has at most 20 ' +
        'active memberships with permissions, in at most 10 clients: one more is a 409, and so is what gives more ' +
        'than who linked an identity of the user has.',
      permission: 'memberships:write',
      privileged: true,
      body: membership.create,
      bodyExample: { user_id: membershipExample.user_id, role_id: membershipExample.role_id },
      response: created(membership, 'The created membership.', membershipExample),
      errors: ['conflict'],
    }),
  },
});
