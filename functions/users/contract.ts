import { contract, created, crud, route, unique, wholeListOf } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { membership, user } from '../access/contract.ts';
import { membershipExample } from '../access/examples.ts';
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

const usual = crud(user, { path: '/api/v1/users', one: 'a user', many: 'users', example });

export const users = contract({
  name: 'users',
  tag: 'Users',
  description: 'The people of an organization. They do not log in here: callers are integrations.',
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
      unfiltered: { last_login: 'is always null' },
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
      bodyExample: { email: example.email, name: example.name },
    }),
    getUser: usual.read(),
    listUserChanges: usual.changes(),
    updateUser: usual.update({
      description:
        'A change of `email` or `is_active` needs all permissions of the roles of the user. Only platform callers ' +
        'change `is_superadmin`, and any field of a superadmin.',
      privileged: true,
      bodyExample: { is_active: false },
    }),
    deleteUser: usual.remove({
      summary: 'Delete a user without memberships',
      description: 'Only platform callers delete superadmins.',
      privileged: true,
      extension: true,
      errors: ['not-found', 'still-in-use'],
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
        'active memberships with permissions, in at most 10 clients: one more is a 409.',
      permission: 'memberships:write',
      privileged: true,
      body: membership.create,
      bodyExample: { user_id: membershipExample.user_id, role_id: membershipExample.role_id },
      response: created(membership, 'The created membership.', membershipExample),
      errors: ['conflict'],
    }),
  },
});
