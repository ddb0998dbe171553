import * as z from 'zod';
import {
  adapted,
  body,
  contract,
  created,
  createOnly,
  declared,
  ok,
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
import * as integrationSecrets from './secrets.ts';

/** A closed set: the list's filter has these two values (spec §4). */
const status = () => z.enum(['active', 'inactive']);

/** Longest useful tolerance, in seconds: event ids are kept for 30 days. */
const MAX_TOLERANCE = 2_592_000;

/** Largest request budget, in requests a minute. */
const MAX_RATE_LIMIT = 1_000_000;

const appCode = <S extends z.ZodType<string>>(schema: S): S =>
  unique(schema, { within: 'service' }).describe(
    'By which it logs in and sends webhooks; unique in the whole service, and never changes.',
  );

/** As {@link field.code}, without "-" at the end. Integrations of earlier versions may have one there. */
const newCode = () =>
  field
    .identifier(100)
    .min(3)
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9._])?$/, {
      error: 'must be letters, digits, ".", "_" and "-", the first a letter or digit, the last no "-"',
    });

export const integration = record('Integration', () => ({
  id: readOnly(field.uuid()),
  org_id: optionalOnCreate(
    field
      .uuid()
      .nullable()
      .describe(
        'The organization that it acts for; null for the platform. Platform callers must name it, here or in the ' +
          'query.',
      ),
  ),
  app_code: createOnly(appCode(field.code(100).min(3))),
  display_name: field.name(200).describe('What people call the integration.'),
  status: status()
    .default('active')
    .describe('`inactive`: it cannot log in, its tokens have ended, and its webhooks are refused.'),
  permissions: field
    .permissionCodes()
    .describe(
      'Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its ' +
        'tenant. A caller gives only what it has itself.',
    )
    .default(null),
  metadata: field.metadata(),
  rate_limit: field
    .whole(1, MAX_RATE_LIMIT)
    .nullable()
    .describe(
      'Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller ' +
        'may set it; an integration made by any other has that of its maker.',
    )
    .default(null),
  webhook_tolerance_seconds: field
    .whole(1, MAX_TOLERANCE)
    .nullable()
    .default(null)
    .describe(
      'Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage ' +
        'sets. The stricter of the two counts.',
    ),
  created_at: readOnly(field.timestamp().nullable()),
})).describe('An app code with a secret: the credentials of a program that calls the API.');
export type Integration = RecordOf<typeof integration>;

export const integrationCreate = adapted(integration.create, (schema) =>
  schema.extend({
    app_code: appCode(newCode()),
    secret: integrationSecrets
      .supplied()
      .optional()
      .meta({ format: 'password' })
      .describe('Refused when it is easy to guess; better left out, so that the service makes it.'),
  }),
);

const shownOnce = () => field.shownOnce(256);

/** Most endpoints that a response names: more than an organization has. */
export const MOST_PAUSED = 100;

const pausedEndpoints = () =>
  z
    .array(field.uuid())
    .max(MOST_PAUSED)
    .describe(
      'Webhook endpoints that are paused until a live key confirms them: its own, and those of others that its key ' +
        'confirmed last.',
    )
    .meta({ examples: [['c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e']] });

/** The response where all tokens end. */
const cutOffIntegration = declared(() =>
  integration.schema
    .extend({ paused_endpoints: pausedEndpoints() })
    .describe('An integration whose tokens have ended.')
    .meta({ id: 'CutOffIntegration' }),
);

/** The response of a creation, the only one with the secret. */
const createdIntegration = declared(() =>
  integration.schema
    .extend({ secret: shownOnce() })
    .describe('A new integration, with the secret that is shown only here.')
    .meta({ id: 'CreatedIntegration' }),
);

const EXAMPLE_SECRET = 'cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ';

/** The response of a change: the record, and the fields that only a widening of permissions adds. */
const updatedIntegration = declared(() =>
  integration.schema
    .extend({
      ended_secrets: z
        .int32()
        .min(1)
        .max(2)
        .optional()
        .describe(
          'How many secrets have ended, because they were set or seen with fewer permissions. Absent where none has.',
        )
        .meta({ examples: [1] }),
      secret: z
        .string()
        .max(256)
        .optional()
        .describe('The new secret, where the newest one has ended. Shown only here: if it is lost, rotate the secret.')
        .meta({ examples: [EXAMPLE_SECRET] }),
      paused_endpoints: pausedEndpoints().optional(),
    })
    .describe('An integration after its change, with what the change has ended.')
    .meta({ id: 'UpdatedIntegration' }),
);

/** How long the previous secret may stay valid, in seconds: a day by default, at most a week. */
export const PREVIOUS = { longest: 604_800, standard: 86_400 } as const;

const rotation = body('SecretRotation', () => ({
  secret: integrationSecrets
    .supplied()
    .optional()
    .meta({ format: 'password' })
    .describe('The new secret, refused when it is easy to guess; better left out, so that the service makes it.'),
  previous_valid_for: field
    .whole(0, PREVIOUS.longest)
    .default(PREVIOUS.standard)
    .describe('Seconds for which the secret before stays valid; 0 when it may have leaked.'),
})).describe('How to replace a secret; the empty object `{}` will do.');

/** The response of a rotation, the only one with the new secret. */
const rotatedIntegration = declared(() =>
  integration.schema
    .extend({
      secret: shownOnce(),
      previous_expires_at: field
        .timestamp()
        .nullable()
        .describe('Until when the secret before is valid; null when it has ended.'),
      paused_endpoints: pausedEndpoints(),
    })
    .describe('An integration with its new secret, which is shown only here.')
    .meta({ id: 'RotatedIntegration' }),
);

const example = {
  id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
  org_id: '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d',
  app_code: 'acme-billing',
  display_name: 'Acme billing',
  status: 'active',
  permissions: ['clients:read', 'tickets:write'],
  metadata: { team: 'billing' },
  rate_limit: 600,
  webhook_tolerance_seconds: 300,
  created_at: '2026-11-20T09:30:00.000Z',
};

const params = () => ({ id: field.reference('Integration') });

export const integrations = contract({
  name: 'integrations',
  tag: 'Integrations',
  description: 'The API credentials of an organization: each an app code with a secret.',
  routes: {
    listIntegrations: route('GET', '/api/v1/integrations', {
      summary: 'List integrations',
      permission: 'integrations:read',
      query: () => ({
        ...parameter.page(),
        status: parameter.anyOf(status(), 'Only integrations that may log in (`active`), or only the others.'),
        app_code: appCode(field.code(100)).optional().describe('Only the integration with exactly this app code.'),
      }),
      response: pageOf(integration, 'A page of integrations, without their secrets.', example),
    }),
    createIntegration: route('POST', '/api/v1/integrations', {
      summary: 'Register an integration',
      description:
        'The response shows the secret, once. An organization may have 200 active integrations: one more is a 409, ' +
        'except for a platform caller. If the stage allows it, a call without a token creates a new organization ' +
        'with its first integration, under the `org_id` given or a new one.',
      auth: 'bearer-optional',
      permission: 'integrations:write',
      privileged: true,
      body: integrationCreate,
      bodyExample: { app_code: example.app_code, display_name: example.display_name },
      response: created(createdIntegration, 'The registered integration, with its secret.', {
        ...example,
        secret: EXAMPLE_SECRET,
      }),
      errors: ['conflict', 'gone'],
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
        'An inactive integration cannot log in. Its tokens have ended, also when it is active again: privileged ' +
        'operations are refused at once, all others within a minute, unless the stage sets another time. The last' +
        ' active integration of an organization with all permissions cannot be set inactive or lose permissions, ' +
        'except by a platform caller: 409. If an integration gets more permissions, secrets that were set or seen' +
        ' with fewer end, with their tokens, and the response has a new one.',
      permission: 'integrations:write',
      cutsOff: true,
      privileged: true,
      params,
      body: integration.patch,
      bodyExample: { status: 'inactive' },
      response: ok(updatedIntegration, 'The updated integration.', { ...example, status: 'inactive' }),
      errors: ['not-found', 'conflict'],
    }),
    rotateSecret: route('POST', '/api/v1/integrations/{id}/rotate-secret', {
      summary: 'Give an integration a new secret',
      description:
        'The new secret is valid at once, the one before for as long as `previous_valid_for` says. There are ' +
        'never more than two: the oldest ends. A token ends with the secret that made it; with 0 all tokens of ' +
        'the integration end, so a caller that rotates its own secret is not shown it a second time.',
      extension: true,
      permission: 'integrations:write',
      cutsOff: true,
      privileged: true,
      params,
      body: rotation,
      bodyExample: { previous_valid_for: PREVIOUS.standard },
      response: created(rotatedIntegration, 'The integration with its new secret.', {
        ...example,
        secret: 'cst_Vb3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE',
        previous_expires_at: '2026-11-21T09:30:00.000Z',
        paused_endpoints: [],
      }),
      errors: ['not-found'],
    }),
    revokeTokens: route('POST', '/api/v1/integrations/{id}/revoke-tokens', {
      summary: 'End the tokens of an integration',
      description:
        'Its secrets stay: log in for a new token. Privileged operations are refused to an ended token at once, ' +
        'all others within a minute, unless the stage sets another time.',
      extension: true,
      permission: 'integrations:write',
      cutsOff: true,
      privileged: true,
      params,
      response: ok(cutOffIntegration, 'The integration, unchanged, and what is paused.', {
        ...example,
        paused_endpoints: ['c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e'],
      }),
      errors: ['not-found'],
    }),
  },
  shownOnce: ['secret'],
});
