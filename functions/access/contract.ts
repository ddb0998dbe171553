import * as z from 'zod';
import {
  contract,
  created,
  createOnly,
  crud,
  optionalOnCreate,
  pageOf,
  type RecordOf,
  readOnly,
  record,
  route,
  unique,
} from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { externalId } from '../clients/words.ts';
import { membershipExample, permissionExample, roleExample } from './examples.ts';

export const user = record('User', () => ({
  id: readOnly(field.uuid()),
  email: unique(field.email(), { comparedAs: 'mail-address' }).describe(
    'Where mail to the person goes; no two users of an organization have the same, in whatever case or form of its ' +
      'domain.',
  ),
  external_id: externalId(),
  name: field.name(200).nullable().default(null).describe('What the person is called.'),
  phone: field.phone().nullable().default(null).describe('Telephone number, as people write it.'),
  avatar_url: field
    .webAddress()
    .nullable()
    .default(null)
    .describe('Where a picture of the person is, with http or https.'),
  is_superadmin: field
    .flag()
    .default(false)
    .describe('Whether the person has every power; only platform callers set it.'),
  is_active: field.flag().default(true).describe('Whether the person belongs to the organization at present.'),
  created_at: readOnly(field.timestamp().nullable()),
  last_login: readOnly(
    field.timestamp().nullable().describe('When the person last signed in, to ten minutes; null for never.'),
  ),
})).describe('A person of an organization.');
export type User = RecordOf<typeof user>;

export const role = record('Role', () => ({
  id: readOnly(field.uuid()),
  org_id: optionalOnCreate(
    field
      .uuid()
      .nullable()
      .describe(
        'The organization that has the role; null for the platform. Platform callers must name it, here or in the ' +
          'query.',
      ),
  ),
  code: unique(field.code()).describe('Short name for programs; no two roles of an organization have the same.'),
  label: field.name(200).describe('What people call the role.'),
  description: field.text(2_000).nullable().default(null).describe('What the role is for, for people.'),
  is_system: createOnly(field.flag().describe('Made by platform callers only.').default(false)),
  permissions: field
    .permissionCodes()
    .describe(
      'Extends the specification: what the role permits, here where the organization has `membership_access`, and in ' +
        'systems that show it; null permits nothing. Its maker must have them.',
    )
    .default(null),
  created_at: readOnly(field.timestamp().nullable()),
})).describe('As what a person belongs to an organization.');
export type Role = RecordOf<typeof role>;

export const permission = record('Permission', () => ({
  id: readOnly(field.uuid().describe('Made from the code, and the same wherever this service runs.')),
  code: readOnly(field.text(81).describe('`<area>:<verb>`, as an integration is given it.')),
  description: readOnly(field.text(200).describe('What it allows, in words.')),
})).describe('What an integration may be allowed to do.');

/** Created and listed below `/users` (`functions/users`). */
export const membership = record('Membership', () => ({
  id: readOnly(field.uuid()),
  user_id: createOnly(field.reference('User').describe('The person who is a member.')),
  org_id: optionalOnCreate(
    field.uuid().describe('Of which organization; the caller’s own unless a platform caller names one.'),
  ),
  client_id: createOnly(
    field
      .reference('Client')
      .nullable()
      .default(null)
      .describe('The client to whom the membership is limited; null for the whole organization.'),
  ),
  role_id: field
    .reference('Role')
    .nullable()
    .default(null)
    .describe('In which role; null for none. Only platform callers give and end system roles.'),
  status: field
    .word()
    .default('active')
    .describe('`active` or `inactive`: whether it holds at present. Or another word.'),
  metadata: field.metadata(),
  created_at: readOnly(field.timestamp().nullable()),
})).describe('That a person belongs to an organization or to one of its clients.');
export type Membership = RecordOf<typeof membership>;

/** Linked and listed below `/users` (`functions/users`). */
export const identity = record('Identity', () => ({
  id: readOnly(field.uuid()),
  user_id: readOnly(field.reference('User').describe('Who signs in by it.')),
  provider_id: field.reference('IdentityProvider').describe('The identity provider that knows the person.'),
  subject: unique(field.identifier(255, 1)).describe(
    'The `sub` of the provider’s tokens, character by character. It is of one user, whatever else the token says.',
  ),
  linked_by: readOnly(
    z
      .enum(['administrator', 'mail'])
      .describe('Who linked it: an administrator, or the provider, by a mail address that it has verified.'),
  ),
  email: readOnly(
    field
      .email()
      .nullable()
      .describe('The mail address by which it was linked; null by an administrator.')
      .meta({ examples: ['ines@acme.example'] }),
  ),
  known_with: readOnly(
    field
      .permissionCodes()
      .describe('The permissions of who linked it; null for all, and by mail. No membership gives the user more.'),
  ),
  created_at: readOnly(field.timestamp()),
})).describe('By what a provider knows a user.');
export type Identity = RecordOf<typeof identity>;

const usual = crud(membership, {
  path: '/api/v1/memberships',
  one: 'a membership',
  many: 'memberships',
  example: membershipExample,
});

export const access = contract({
  name: 'access',
  tag: 'Access',
  description: 'Roles, the permissions there are, and who belongs to an organization in which role.',
  routes: {
    listMemberships: usual.list({
      extension: true,
      query: () => ({
        ...parameter.page(),
        user_id: parameter.anyOf(field.reference('User'), 'Only memberships of the user with this id.'),
      }),
    }),
    listRoles: route('GET', '/api/v1/roles', {
      summary: 'List roles',
      permission: 'roles:read',
      query: parameter.page,
      response: pageOf(role, 'A page of roles.', roleExample),
    }),
    createRole: route('POST', '/api/v1/roles', {
      event: { type: 'role.created' },
      summary: 'Create a role',
      permission: 'roles:write',
      privileged: true,
      body: role.create,
      bodyExample: { code: roleExample.code, label: roleExample.label, description: roleExample.description },
      response: created(role, 'The created role.', roleExample),
    }),
    listPermissions: route('GET', '/api/v1/permissions', {
      summary: 'List the permissions there are',
      description: 'The same for every caller, in order of their codes.',
      permission: 'permissions:read',
      query: () => {
        const { page, page_size } = parameter.page();
        return { page, page_size };
      },
      response: pageOf(permission, 'A page of permissions.', permissionExample),
    }),
    getMembership: usual.read(),
    updateMembership: usual.update({
      description:
        'Needs all permissions of the role, of the earlier one too. Only platform callers change a membership with a ' +
        'system role, and any of a superadmin. A user has at most 20 active memberships with permissions, in at most ' +
        '10 clients: one more is a 409, and so is what gives more than who linked an identity of the user has.',
      privileged: true,
      errors: ['not-found', 'conflict'],
      bodyExample: { status: 'inactive' },
    }),
    deleteMembership: usual.remove({
      extension: true,
      description:
        'Needs all permissions of the role. Only platform callers delete a membership with a system role, and any ' +
        'of a superadmin.',
      privileged: true,
    }),
  },
});
