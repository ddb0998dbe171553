import * as z from 'zod';
import { contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

/** Most integrations of a page: as many as may be active in an organization, where the stage sets nothing else. */
export const PAGE_OF_INTEGRATIONS = 200;

/** Days of which requests are reported, with today. */
const DAYS = 62;

const limit = () =>
  z
    .strictObject({
      policy: z
        .enum(['default', 'tenant'])
        .describe('`default`: the caller’s own. `tenant`: that of all callers of its organization together.'),
      limit: z.int32().min(1).describe('How many requests it admits in a minute.'),
      remaining: z.int32().min(0).describe('Requests left now, as in the header `RateLimit`.'),
      reset: z.int32().min(0).describe('Seconds until all of them are there again, if no more are sent.'),
    })
    .describe('What is left of a request budget. Every response reports the lowest one.')
    .meta({ id: 'RequestLimit' });

const me = declared(() =>
  z
    .strictObject({
      integration: z
        .strictObject({
          id: field.uuid().describe('Names the record of the caller.'),
          app_code: field.text(100).describe('As it logged in with its secret.'),
          display_name: field.text(200).describe('What people call it.'),
        })
        .nullable()
        .describe('Who calls; null for a user.'),
      user: z
        .strictObject({
          id: field.uuid().describe('Names the record of the caller.'),
          name: field
            .text(200)
            .nullable()
            .describe('What people call it.')
            .meta({ examples: ['Ada Byron'] }),
          email: field
            .text(254)
            .describe('Its address.')
            .meta({ examples: ['ada@acme.example'] }),
          identity_provider_id: field.uuid().describe('Names the identity provider through which it signed in.'),
          clients: z
            .array(
              z
                .strictObject({
                  client_id: field.uuid().describe('Names the client.'),
                  permissions: z
                    .array(field.text(81))
                    .max(1_000)
                    .describe('What the user may do for this client.')
                    .meta({ examples: [['tickets:read']] }),
                })
                .describe('What a user may do for one client.')
                .meta({ id: 'MyClient' }),
            )
            .max(10)
            .describe('The clients for whom it may do more than in the whole organization.'),
        })
        .nullable()
        .describe('Who calls; null for an integration.'),
      organization: z
        .strictObject({
          id: field.uuid().describe('Names the tenant that it acts for.'),
          name: field.text(200).describe('What people call the organization.'),
          slug: field.text(100).describe('Its short name.'),
        })
        .nullable()
        .describe('For whom it calls; null for the platform.'),
      permissions: z
        .array(field.text(81))
        .max(100)
        .nullable()
        .describe('The permissions that the caller has in its whole tenant and its scope; null for all.'),
      effective_permissions: z
        .array(field.text(81))
        .max(1_000)
        .describe(
          'Every permission that it has, in order: all for null, and a permission to read with the one to write.',
        ),
      limits: z.array(limit()).max(2).describe('The request budgets that each of its requests is charged to.'),
      token: z
        .strictObject({
          issued_at: field.timestamp().describe('When it was made.'),
          expires_at: field.timestamp().describe('When it ends, if it is not ended before: log in again by then.'),
        })
        .describe('For how long this caller is logged in.'),
    })
    .describe('Who the caller is, what it may do, and for how long.')
    .meta({ id: 'Me' }),
);

const usage = declared(() =>
  z
    .strictObject({
      records: z
        .array(
          z
            .strictObject({
              record_type: field.text(100).describe('Name of the record in this document: `Client`.'),
              total: z.int().min(0).describe('How many there are, exactly: the `total` of their list.'),
            })
            .describe('How many records of a type there are.')
            .meta({ id: 'RecordCount' }),
        )
        .max(100)
        .describe(
          'The records that there are, by type and in order of its name. Records below others, such as the ' +
            'messages of a ticket, are not counted.',
        ),
      attachments: z
        .strictObject({
          bytes: z.int().min(0).describe('How many bytes all attachments of tickets have, with announced ones.'),
          limit: z.int().min(1).describe('How many they may have.'),
        })
        .describe('How much the attachments of the organization take.'),
      requests: z
        .array(
          z
            .strictObject({
              integration_id: field.uuid().describe('Which integration sent them.'),
              days: z
                .array(
                  z
                    .strictObject({
                      date: parameter.date().describe('When they were sent, by the clock of the service in UTC.'),
                      requests: z.int().min(1).describe('How many requests were served or refused, approximately.'),
                    })
                    .describe('How much an integration has called on one day.')
                    .meta({ id: 'RequestsOfDay' }),
                )
                .max(DAYS)
                .describe('The days with requests, the oldest first.'),
            })
            .describe('How much an integration has called, day by day.')
            .meta({ id: 'IntegrationRequests' }),
        )
        .max(PAGE_OF_INTEGRATIONS)
        .describe('By integration, in order of their ids; those without requests in these days are left out.'),
      deliveries: z
        .array(
          z
            .strictObject({
              date: parameter.date().describe('When they were charged, by the clock of the service in UTC.'),
              charged: z
                .int()
                .min(1)
                .describe('What they took, in requests: 1 for each 100 units of the table and each 256 KB sent.'),
            })
            .describe('What deliveries to webhook endpoints took on one day.')
            .meta({ id: 'DeliveriesOfDay' }),
        )
        .max(DAYS)
        .describe(
          'The days on which deliveries, replays or retries were charged, the oldest first. No request budget pays ' +
            'for them.',
        ),
    })
    .describe('What an organization has stored, how much it has called, and what was delivered to it.')
    .meta({ id: 'Usage' }),
);

const INTEGRATION = '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35';

export const account = contract({
  name: 'account',
  tag: 'Account',
  description: 'Who the caller is, what is left of its request budgets, and what its organization has used.',
  routes: {
    getMe: route('GET', '/api/v1/me', {
      summary: 'Read who you are',
      description:
        'The integration or user of the token, its organization, permissions and request budgets, and when the token ' +
        'ends. A change of permissions or limit shows within a minute, unless the stage sets another time.',
      extension: true,
      permission: null,
      tenancy: 'own',
      response: ok(me, 'The caller.', {
        integration: { id: INTEGRATION, app_code: 'acme-billing', display_name: 'Acme billing' },
        user: null,
        organization: { id: '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d', name: 'Acme Lda', slug: 'acme-lda' },
        permissions: ['clients:read', 'tickets:write'],
        effective_permissions: ['clients:read', 'tickets:read', 'tickets:write'],
        limits: [
          { policy: 'default', limit: 600, remaining: 587, reset: 2 },
          { policy: 'tenant', limit: 6000, remaining: 5981, reset: 1 },
        ],
        token: { issued_at: '2026-11-20T09:30:00.000Z', expires_at: '2026-11-20T10:30:00.000Z' },
      }),
    }),
    getUsage: route('GET', '/api/v1/usage', {
      summary: 'Read what was used',
      description:
        `Records are counted exactly, requests of the last ${DAYS} days approximately. A request counts ` +
        'when a budget admits it, whatever its response, and a webhook for its integration. Logins and 429 do not ' +
        'count; what a platform caller does counts for the platform. Users are left out. A page has up to ' +
        `${PAGE_OF_INTEGRATIONS} integrations: \`Link\` leads to the next ones.`,
      extension: true,
      permission: 'usage:read',
      query: () => ({
        ...parameter.cursor(),
        integration_id: field.reference('Integration').optional().describe('Only requests of this integration.'),
        from: parameter.date().optional().describe('Only requests of this day and later ones.'),
        to: parameter.date().optional().describe('Only requests of this day and earlier ones.'),
      }),
      response: ok(usage, 'The usage.', {
        records: [
          { record_type: 'Client', total: 120 },
          { record_type: 'Ticket', total: 1840 },
        ],
        attachments: { bytes: 1_048_576, limit: 10_737_418_240 },
        requests: [
          {
            integration_id: INTEGRATION,
            days: [
              { date: '2026-11-19', requests: 20 },
              { date: '2026-11-20', requests: 4310 },
            ],
          },
        ],
        deliveries: [{ date: '2026-11-20', charged: 57 }],
      }),
    }),
  },
});
