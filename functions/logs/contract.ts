import * as z from 'zod';
import { contract, created, declared, pageOf, type RecordOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import * as sentence from '#contract/sentence';

/** The closed set of the spec (§2, Log entry). */
const level = () => z.enum(['info', 'warn', 'error', 'debug']);

export const logEntry = record('LogEntry', () => ({
  id: readOnly(field.uuid().describe(sentence.ID)),
  level: level().describe('How serious it is, from `debug` to `error`.'),
  message: field.text(20_000, 1).describe('What happened, in words.'),
  metadata: field.jsonObject().default({}).describe(sentence.freeForm('Facts about what happened, for programs.')),
  ts: readOnly(field.timestamp().describe('When the entry was taken in, by the clock of the service.')),
})).describe('What a system of the organization reported.');
export type LogEntry = RecordOf<typeof logEntry>;

/** The response of an ingestion (spec §4). */
const receipt = declared(() =>
  z
    .strictObject({
      id: field.uuid().describe('Names the stored entry.'),
      received: z.literal(true).describe('That the entry is stored: always true.'),
    })
    .describe('Tells that an entry was taken in.')
    .meta({ id: 'LogReceipt' }),
);

const example = {
  id: '0a2fa71e-c6f6-4e1a-b4c2-9d8e7f6a5b4c',
  level: 'warn',
  message: 'The disk is nearly full',
  metadata: { host: 'db-1', used: 0.93 },
  ts: '2026-11-20T09:30:00.000Z',
};

export const logs = contract({
  name: 'logs',
  tag: 'Logs',
  description: 'What systems of an organization report. Kept for 30 days.',
  routes: {
    listLogs: route('GET', '/api/v1/logs', {
      summary: 'List log entries',
      permission: 'logs:read',
      query: () => ({
        ...parameter.page(),
        level: level().optional().describe('Only entries of this level, not of those above.'),
      }),
      response: pageOf(logEntry, 'A page of log entries.', example),
    }),
    ingestLog: route('POST', '/api/v1/logs/ingest', {
      event: { type: 'log.ingested' },
      summary: 'Take in a log entry',
      permission: 'logs:write',
      body: logEntry.create,
      bodyExample: { level: example.level, message: example.message, metadata: example.metadata },
      response: created(receipt, 'The entry is stored.', { id: example.id, received: true }),
    }),
  },
});
