import * as z from 'zod';
import { adapted, body, contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';
import { isObject } from '../../shared/well-formed.ts';

/** Largest body, in bytes: some thousand alerts as Alertmanager sends them. */
export const MAX_ALERTS_BODY = 1_048_576;
/** Most alerts of a request: more than have room in a response. */
export const MOST_ALERTS = 10_000;
/** Longest part of a fingerprint that a response has, in characters. */
export const MAX_SHOWN = 200;

/** The permission by which an integration sends alerts. */
export const SEND_ALERTS = 'alerts:write';

const status = () => z.enum(['firing', 'resolved']);
const anyText = () => field.bounded(MAX_ALERTS_BODY);

const fingerprint = () =>
  anyText().min(1, { error: 'must not be empty' }).describe('Names what fires, and has one open ticket at most.');

const isTexts = (value: unknown): boolean => value === undefined || value === null || isObject(value);

/** Texts by name. A template may leave numbers and booleans, and what else there is does not count. */
const texts = (description: string) =>
  z
    .unknown()
    .refine(isTexts, { error: 'must be a JSON object' })
    .optional()
    .meta(field.shownAs({ type: ['object', 'null'], additionalProperties: true, description }));

const time = (description: string) => anyText().optional().describe(`${description}`);

/** One alert of the format `alertmanager`, which Grafana sends with more members. */
const alertmanagerAlert = () =>
  z
    .looseObject({
      status: status().describe('Whether it fires, or is over.'),
      fingerprint: fingerprint(),
      labels: texts('What it is about: `client_slug`, `severity` …'),
      annotations: texts('`summary` is the subject of the ticket, `description` its description.'),
      startsAt: time('When it began to fire.'),
      endsAt: time('When it was over.'),
      generatorURL: anyText().optional().describe('Where the rule is that fires.'),
    })
    .describe('An alert.');

/** Members that a sender has besides these are ignored: monitoring systems add some with each release. */
const alertmanager = adapted(
  body('AlertmanagerAlerts', () => ({
    alerts: z
      // What is no alert is refused alone: others of its group are not lost.
      .array(alertmanagerAlert().nullable().catch(null))
      .max(MOST_ALERTS, { error: `must have at most ${MOST_ALERTS} elements` })
      .describe('The alerts.')
      .meta({ override: ({ jsonSchema }) => Object.assign(jsonSchema, { items: Object(jsonSchema.items).anyOf[0] }) }),
  })).describe('A group of alerts.'),
  (schema) => schema.loose(),
);

const custodia = adapted(
  body('Alert', () => ({
    fingerprint: fingerprint(),
    status: status().describe('Whether it fires, or is over.'),
    summary: anyText().optional().describe('What it is about, in one line: the subject of its ticket.'),
    description: anyText()
      .optional()
      .describe('The same at length.')
      .meta({ examples: ['The disk of db-1 is full'] }),
    labels: texts('What it is about: `client_slug`, `severity` …'),
    starts_at: time('When it began to fire: the same when it is over. It only orders what comes late.'),
    ends_at: time('When it was over.').meta({ examples: ['2026-11-20T09:45:00.000Z'] }),
  })).describe('An alert.'),
  (schema) => schema.loose(),
);

export const OUTCOMES = [
  ...(['opened', 'repeated', 'resolved', 'held', 'collected'] as const),
  ...(['ignored', 'refused', 'failed', 'not_attempted'] as const),
] as const;

const result = () =>
  z.strictObject({
    fingerprint: field
      .text(MAX_SHOWN)
      .nullable()
      .describe('That of the alert: its first 200 characters; null for none.'),
    outcome: z
      .enum(OUTCOMES)
      .describe('`ignored` came late, `refused` is no alert, `failed` and `not_attempted` are to be sent again.'),
    ticket_id: field.uuid().nullable().describe('Its ticket; null for none.'),
    ticket_code: field.text(100).nullable().describe('What people call that ticket by.'),
  });

const taken = declared(() =>
  z
    .strictObject({ alerts: z.array(result()).max(MOST_ALERTS).describe('One for each alert, in their order.') })
    .describe('What was done about each alert.')
    .meta({ id: 'AlertsTaken' }),
);

const example = {
  alerts: [
    {
      fingerprint: 'db-1',
      outcome: 'opened',
      ticket_id: '84b6353b-046d-4b3f-9a51-6c0d2e4f8a17',
      ticket_code: 'T-000042',
    },
  ],
};

const DESCRIPTION =
  'A firing alert opens a ticket, once until it is over; that closes it, unless it was changed. After a 503, whose ' +
  '`alerts` say what was done, send the same again.';

const usual = {
  extension: true,
  tenancy: 'own',
  permission: SEND_ALERTS,
  verifiesCaller: true,
  maxBody: MAX_ALERTS_BODY,
  response: ok(taken, 'Every alert was taken.', example),
  errors: ['invalid-credentials'],
} as const;

export const alerts = contract({
  name: 'alerts',
  tag: 'Alerts',
  description: 'Alerts of monitoring systems, which become tickets.',
  mainOperation: 'receiveAlertsOfAlertmanager',
  routes: {
    receiveAlertsOfAlertmanager: route('POST', '/api/v1/alerts/alertmanager', {
      ...usual,
      summary: 'Send alerts of Alertmanager or Grafana',
      description: DESCRIPTION,
      body: alertmanager,
      bodyExample: {
        alerts: [
          {
            status: 'firing',
            fingerprint: 'db-1',
            labels: { alertname: 'DiskFull', severity: 'critical', client_slug: 'acme' },
            annotations: { summary: 'The disk of db-1 is full' },
            startsAt: '2026-11-20T09:30:00.000Z',
          },
        ],
      },
    }),
    receiveAlert: route('POST', '/api/v1/alerts/custodia', {
      ...usual,
      summary: 'Send an alert of another system',
      description: DESCRIPTION,
      body: custodia,
      bodyExample: {
        fingerprint: 'db-1',
        status: 'firing',
        summary: 'The disk of db-1 is full',
        labels: { severity: 'critical', client_slug: 'acme' },
        starts_at: '2026-11-20T09:30:00.000Z',
      },
    }),
  },
});
