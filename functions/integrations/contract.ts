import * as z from 'zod';
import { suppliedSecret } from '../../shared/auth/secret-policy.ts';
import { code, jsonObject, name, timestamp, uuid } from '../../shared/contract/fields.ts';
import { pageParameters } from '../../shared/contract/parameters.ts';
import {
  type Body,
  createOnly,
  optionalOnCreate,
  type RecordOf,
  readOnly,
  record,
} from '../../shared/contract/record.ts';
import { contract, created, ok, pageOf, route } from '../../shared/contract/route.ts';

/** A closed set: the list's filter names both (spec §4). */
const status = () => z.enum(['active', 'inactive']);

export const integration = record('Integration', {
  id: readOnly(uuid()),
  org_id: optionalOnCreate(uuid().nullable()),
  app_code: createOnly(code(100).min(3, { error: 'must have at least 3 characters' })),
  display_name: name(200),
  status: status().default('active'),
  metadata: jsonObject().nullable().default(null),
  created_at: readOnly(timestamp().nullable()),
});
export type Integration = RecordOf<typeof integration>;

const integrationCreate = {
  ...integration.create,
  schema: integration.create.schema.extend({
    secret: suppliedSecret()
      .optional()
      .meta({ format: 'password' })
      .describe('At least 32 characters; made by the service when it is left out, which is the better choice.'),
  }),
} satisfies Body;

/** The record as its creation answers it, the only time the secret is shown. */
const createdIntegration = {
  schema: integration.schema
    .extend({ secret: z.string().max(256).describe('Shown here once and never again.') })
    .meta({ id: 'CreatedIntegration' }),
};

const example = {
  id: '00000000-0000-8d21-b6a1-90c4ee1f7a35',
  org_id: '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d',
  app_code: 'acme-billing',
  display_name: 'Acme billing',
  status: 'active',
  metadata: null,
  created_at: '2026-11-20T09:30:00.000Z',
};

const params = { id: uuid().describe('Id of the integration.') };

export const integrations = contract({
  name: 'integrations',
  tag: 'Integrations',
  description: 'The API credentials of an organization: each an app code with a secret.',
  routes: {
    listIntegrations: route('GET', '/api/v1/integrations', {
      summary: 'List integrations',
      permission: 'integrations:read',
      query: { ...pageParameters, status: status().optional() },
      response: pageOf(integration, 'A page of integrations, without their secrets.', example),
    }),
    createIntegration: route('POST', '/api/v1/integrations', {
      summary: 'Register an integration',
      description:
        'The answer shows the secret, once. Where the stage allows it, a call without a token registers the first integration of an organization that does not exist yet, and creates that organization, under the `org_id` given or a new one.',
      auth: 'bearer-optional',
      permission: 'integrations:write',
      body: integrationCreate,
      bodyExample: { app_code: example.app_code, display_name: example.display_name },
      response: created(createdIntegration, 'The registered integration, with its secret.', {
        ...example,
        secret: 'cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ',
      }),
      errors: ['already-exists'],
    }),
    getIntegration: route('GET', '/api/v1/integrations/{id}', {
      summary: 'Read an integration',
      permission: 'integrations:read',
      params,
      response: ok(integration, 'The integration, without its secret.', example),
      errors: ['not-found'],
    }),
    updateIntegration: route('PATCH', '/api/v1/integrations/{id}', {
      summary: 'Change an integration',
      description:
        'An integration set inactive cannot log in from then on, and its tokens are refused within a minute. It may do so to itself.',
      permission: 'integrations:write',
      params,
      body: integration.patch,
      bodyExample: { status: 'inactive' },
      response: ok(integration, 'The updated integration.', { ...example, status: 'inactive' }),
      errors: ['not-found'],
    }),
  },
});
