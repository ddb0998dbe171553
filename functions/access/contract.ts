import { reference, unique } from '../../shared/contract/constraints.ts';
import { code, flag, jsonObject, name, text, timestamp, uuid, word } from '../../shared/contract/fields.ts';
import { pageParameters } from '../../shared/contract/parameters.ts';
import { permissionCodes } from '../../shared/contract/permissions.ts';
import { createOnly, optionalOnCreate, type RecordOf, readOnly, record } from '../../shared/contract/record.ts';
import { contract, created, ok, pageOf, route } from '../../shared/contract/route.ts';
import { membershipExample, permissionExample, roleExample } from './examples.ts';

export const role = record('Role', () => ({
  id: readOnly(uuid()),
  org_id: optionalOnCreate(uuid().nullable()),
  code: unique(code()),
  label: name(200),
  description: text(2_000).nullable().default(null),
  is_system: createOnly(flag().describe('Made by platform callers only.').default(false)),
  permissions: permissionCodes()
    .describe(
      'Completes the specification: the permissions that the role stands for, for the systems that show it; null where it names none. What a caller of this API may do is its integration’s.',
    )
    .default(null),
  created_at: readOnly(timestamp().nullable()),
}));
export type Role = RecordOf<typeof role>;

export const permission = record('Permission', () => ({
  id: readOnly(uuid()),
  code: readOnly(text(81)),
  description: readOnly(text(200)),
}));

/** Created and listed below `/users` (`functions/users`). */
export const membership = record('Membership', () => ({
  id: readOnly(uuid()),
  user_id: createOnly(reference('User')),
  org_id: optionalOnCreate(uuid()),
  client_id: createOnly(reference('Client').nullable().default(null)),
  role_id: reference('Role').nullable().default(null),
  status: word().default('active'),
  metadata: jsonObject().nullable().default(null),
  created_at: readOnly(timestamp().nullable()),
}));
export type Membership = RecordOf<typeof membership>;

const params = () => ({ id: reference('Membership') });

export const access = contract({
  name: 'access',
  tag: 'Access',
  description: 'Roles, the permissions there are, and who belongs to an organization in which role.',
  routes: {
    listRoles: route('GET', '/api/v1/roles', {
      summary: 'List roles',
      permission: 'roles:read',
      query: pageParameters,
      response: pageOf(role, 'A page of roles.', roleExample),
    }),
    createRole: route('POST', '/api/v1/roles', {
      event: { type: 'role.created' },
      summary: 'Create a role',
      permission: 'roles:write',
      body: role.create,
      bodyExample: { code: roleExample.code, label: roleExample.label, description: roleExample.description },
      response: created(role, 'The created role.', roleExample),
    }),
    listPermissions: route('GET', '/api/v1/permissions', {
      summary: 'List the permissions there are',
      description: 'The same for every caller, in order of their codes.',
      permission: 'permissions:read',
      query: () => {
        const { page, page_size } = pageParameters();
        return { page, page_size };
      },
      response: pageOf(permission, 'A page of permissions.', permissionExample),
    }),
    getMembership: route('GET', '/api/v1/memberships/{id}', {
      summary: 'Read a membership',
      permission: 'memberships:read',
      params,
      response: ok(membership, 'The membership.', membershipExample),
      errors: ['not-found'],
    }),
    updateMembership: route('PATCH', '/api/v1/memberships/{id}', {
      event: { type: 'membership.updated' },
      summary: 'Change a membership',
      permission: 'memberships:write',
      params,
      body: membership.patch,
      bodyExample: { status: 'inactive' },
      response: ok(membership, 'The updated membership.', { ...membershipExample, status: 'inactive' }),
      errors: ['not-found'],
    }),
  },
});
