import { adapted, contract, crud, readOnly, record } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

export const organization = record('Organization', () => ({
  id: readOnly(field.uuid()),
  name: field.name(200).describe('What people call the organization.'),
  slug: field.slug().describe('Short name for web addresses; made from the name unless given. Not unique.'),
  settings: field.freeForm('Settings of the systems that use the organization; they change nothing here.').default({}),
  membership_access: field
    .flag()
    .default(false)
    .describe(
      'Extends the specification: whether its users may sign in, and do what their memberships permit. Only a caller ' +
        'with all permissions changes it, and the slug meanwhile, which no other organization with `true` may have.',
    ),
  created_at: readOnly(field.timestamp()),
})).describe('A tenant of the service, which sees nothing of the others.');

/** The slug may be left out: it is then made from the name. Users are let in later. */
const organizationCreate = adapted(organization.create, (schema) =>
  schema.partial({ slug: true }).omit({ membership_access: true }),
);

const example = {
  id: '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d',
  name: 'Acme Lda',
  slug: 'acme-lda',
  settings: { locale: 'pt-PT' },
  membership_access: false,
  created_at: '2026-11-20T09:30:00.000Z',
};

const usual = crud(organization, {
  path: '/api/v1/orgs',
  one: 'an organization',
  many: 'organizations',
  example,
  hasEvents: false,
});

export const orgs = contract({
  name: 'orgs',
  tag: 'Organizations',
  description: 'The tenants of the service. A caller sees its own; platform callers see all and create new ones.',
  routes: {
    listOrgs: usual.list({
      description: 'For platform callers.',
      callers: 'platform',
      extension: true,
      tenancy: 'own',
      query: parameter.page,
    }),
    createOrg: usual.create({
      description: 'For platform callers.',
      callers: 'platform',
      extension: true,
      tenancy: 'own',
      body: organizationCreate,
      bodyExample: { name: example.name, settings: example.settings },
      errors: ['gone'],
    }),
    getOrg: usual.read({
      tenancy: 'own',
    }),
    updateOrg: usual.update({
      tenancy: 'own',
      privileged: true,
      errors: ['not-found', 'already-exists'],
      bodyExample: { name: 'Acme Europe', settings: { locale: 'en-IE' } },
    }),
  },
});
