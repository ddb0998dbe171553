import * as z from 'zod';
import { contract, ok, pageOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

export const auditEvent = record('AuditEvent', () => ({
  id: readOnly(field.uuid()),
  occurred_at: readOnly(field.timestamp().describe('When it was done, by the clock of the service.')),
  operation: readOnly(
    field
      .text(100)
      .describe(
        'Id of the operation; or `login_refused`, `signature_refused`, `escalation_refused`, a command of the ' +
          'operator such as `suspendOrganization`, or `deliverEvents`.',
      ),
  ),
  actor_type: readOnly(
    z
      .enum(['integration', 'user', 'anonymous', 'operator', 'service'])
      .describe(
        'An integration, a user, somebody without token and signature, the operator’s command line, or the service ' +
          'itself.',
      ),
  ),
  actor_id: readOnly(field.uuid().nullable().describe('Id of the integration or user that acted, where it was one.')),
  actor_app_code: readOnly(
    field.text(100).nullable().describe('Its app code at that time; of a refused login the one that was tried.'),
  ),
  actor_name: readOnly(
    field
      .text(254)
      .nullable()
      .describe('What the user that acted was called at that time, where it was one.')
      .meta({ examples: ['Ada Byron'] }),
  ),
  record_type: readOnly(field.text(100).describe('Name of the record in this document: `Integration`.')),
  record_id: readOnly(
    field.uuid().describe('Which record of that type was created, changed, read (of a page the first) or tried.'),
  ),
  changed_fields: readOnly(
    z
      .array(field.text(100))
      .max(100)
      .describe(
        'Names of the fields that were set, without values; also `secret` or `secrets`, `tokens` where all were ' +
          'ended, and `confirmed` of a webhook endpoint.',
      ),
  ),
  failures: readOnly(
    field
      .count()
      .nullable()
      .describe(
        'The number of refused logins, signatures or escalations that day. Only the 1st, 2nd, 4th, 8th … leave ' +
          'an event.',
      )
      .meta({ examples: [4] }),
  ),
  attempted_operation: readOnly(
    field
      .text(100)
      .nullable()
      .describe('Of a refused escalation: which operation it tried.')
      .meta({ examples: ['rotateSecret'] }),
  ),
  reads: readOnly(
    field
      .count()
      .nullable()
      .describe(
        'Of a read of `credentials`: how many requests of the actor could show them that day. Only the 1st, 2nd, ' +
          '4th, 8th … leave an event.',
      )
      .meta({ examples: [4] }),
  ),
  shown_count: readOnly(
    field
      .count()
      .nullable()
      .describe('Of a read: how many records showed them.')
      .meta({ examples: [25] }),
  ),
  shown_ids: readOnly(
    z
      .array(field.uuid())
      .max(10)
      .nullable()
      .describe('Of a read: ids of the first ten.')
      .meta({ examples: [['0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80']] }),
  ),
  request_id: readOnly(
    field.text(128).nullable().describe('`X-Request-Id` of the response; null for the operator’s command line.'),
  ),
  source_address: readOnly(field.text(64).nullable().describe('Network address that the request came from.')),
})).describe('Who did what to which record, or tried to.');

const example = {
  id: '7df59570-303b-4c3e-b7a9-1d5f8e2c6b40',
  occurred_at: '2026-11-20T09:30:00.000Z',
  operation: 'updateIntegration',
  actor_type: 'integration',
  actor_id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
  actor_app_code: 'acme-billing',
  actor_name: null,
  record_type: 'Integration',
  record_id: '1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18',
  changed_fields: ['status', 'permissions'],
  failures: null,
  attempted_operation: null,
  reads: null,
  shown_count: null,
  shown_ids: null,
  request_id: 'b4c8f0e2-6a1d-4f39-8e57-2d90c3a7b615',
  source_address: '192.0.2.17',
};

export const audit = contract({
  name: 'audit',
  tag: 'Audit',
  description:
    'Who did what to integrations, roles, users, memberships, organizations and webhook endpoints, who set and ' +
    'read `credentials`, and what was refused. Nobody can change or delete an event.',
  routes: {
    listAuditEvents: route('GET', '/api/v1/audit-events', {
      summary: 'List audit events',
      description:
        'What was done to the records of an organization, also by platform callers, is in its own audit log. ' +
        'Events are kept for 400 days unless the stage sets another time.',
      extension: true,
      permission: 'audit:read',
      query: () => ({
        ...parameter.page(),
        actor_id: parameter.anyOf(field.uuid(), 'Id of the integration or user that acted.'),
        record_id: parameter.anyOf(field.uuid(), 'Id of the record that was created or changed.'),
      }),
      response: pageOf(auditEvent, 'A page of audit events.', example),
    }),
    getAuditEvent: route('GET', '/api/v1/audit-events/{id}', {
      summary: 'Read an audit event',
      extension: true,
      permission: 'audit:read',
      params: () => ({ id: field.reference('AuditEvent') }),
      response: ok(auditEvent, 'The audit event.', example),
      errors: ['not-found'],
    }),
  },
});
