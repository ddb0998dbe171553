import * as z from 'zod';
import { adapted, contract, created, declared, pageOf, type RecordOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

/** The closed set of the spec (§2, Log entry). */
const level = () => z.enum(['info', 'warn', 'error', 'debug']);

const ID = '0a2fa71e-c6f6-4e1a-b4c2-9d8e7f6a5b4c';
const ENTRY = { level: 'warn', message: 'The disk is nearly full', metadata: { host: 'db-1', used: 0.93 } };

const SERIOUS = 'How serious it is, from `debug` to `error`.';
const WORDS = 'What happened, in words.';

export const logEntry = record('LogEntry', () => ({
  id: readOnly(field.uuid()),
  level: level().describe(SERIOUS),
  message: field.text(20_000, 1).describe(WORDS),
  metadata: field.freeForm('Facts about what happened, for programs.').default({}),
  integration_id: readOnly(
    field
      .uuid()
      .nullable()
      .describe(
        'Extends the specification: which integration reported it; null of entries that are older than this field.',
      ),
  ),
  ts: readOnly(field.timestamp().describe('When the entry was taken in, by the clock of the service.')),
})).describe('What a system of the organization reported.');
export type LogEntry = RecordOf<typeof logEntry>;

/**
 * Most entries of a request. A transaction has at most 100 actions (Amazon DynamoDB quotas): each entry takes two, and
 * an idempotency key or a webhook event up to four.
 */
export const MOST_ENTRIES = 45;

/** One entry, or `entries` with several. */
const ingestion = adapted(logEntry.create, (entry) => {
  const { level, message, metadata } = entry.shape;
  const either = z.strictObject({
    level: level.optional().describe(`${SERIOUS} Required without \`entries\`.`),
    message: message.optional().describe(`${WORDS} Required without \`entries\`.`),
    metadata: metadata.unwrap().optional(),
    entries: field
      .list(entry, MOST_ENTRIES, 1)
      .optional()
      .describe('Extends the specification: several entries instead of one. All of them are stored, or none.')
      .meta({ examples: [[ENTRY]] }),
  });
  return ONE.reduce((schema, name) => schema.refine(isOneForm(name), oneFormError(name)), either);
});

type NewLogEntry = z.output<typeof logEntry.create.schema>;
type Ingestion = { readonly [field in keyof NewLogEntry]?: NewLogEntry[field] | undefined } & {
  readonly entries?: readonly NewLogEntry[] | undefined;
};

/** The fields of a single entry. */
const ONE = ['level', 'message', 'metadata'] as const;

const isOneForm =
  (name: (typeof ONE)[number]) =>
  (body: Ingestion): boolean =>
    'entries' in body ? !(name in body) : name in body || name === 'metadata';

const oneFormError = (name: string) => ({
  path: [name],
  error: ({ input }: { readonly input?: unknown }) =>
    'entries' in (input as Ingestion) ? 'cannot be sent with `entries`' : 'is required without `entries`',
  // Also where other fields are wrong.
  when: () => true,
});

/** The entries of a valid body. */
export const entriesOf = ({ entries, level, message, metadata = {} }: Ingestion): readonly NewLogEntry[] =>
  entries ?? [{ level, message, metadata } as NewLogEntry];

/** The response of an ingestion (spec §4). */
const receipt = declared(() =>
  z
    .strictObject({
      id: field.uuid().describe('Names the stored entry, or the first of several.'),
      received: z.literal(true).describe('That all that was sent is stored: always true.'),
      ids: z
        .array(field.uuid())
        .max(MOST_ENTRIES)
        .optional()
        .describe('Extends the specification: where `entries` were sent, names each of them, in their order.')
        .meta({ examples: [[ID]] }),
    })
    .describe('Tells that entries were taken in.')
    .meta({ id: 'LogReceipt' }),
);

const example = {
  id: ID,
  ...ENTRY,
  integration_id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
  ts: '2026-11-20T09:30:00.000Z',
};

export const logs = contract({
  name: 'logs',
  tag: 'Logs',
  description: 'What systems of an organization report. Kept for 30 days.',
  mainOperation: 'ingestLog',
  routes: {
    listLogs: route('GET', '/api/v1/logs', {
      summary: 'List log entries',
      permission: 'logs:read',
      query: () => ({
        ...parameter.page(),
        level: parameter.anyOf(level(), 'Only entries of this level, not of those above.'),
      }),
      further: () => ({
        from: parameter.filter({ field: 'ts', as: 'atLeast' }, () =>
          parameter.instant().optional().describe('Only entries from this time on. The same as `ts_after`.'),
        ),
        to: parameter.filter({ field: 'ts', as: 'before' }, () =>
          parameter.instant().optional().describe('Only entries before this time. The same as `ts_before`.'),
        ),
        q: parameter.filter({ field: 'message', as: 'contains' }, () =>
          field
            .name(100)
            .optional()
            .describe(
              'Small lists: only entries whose message contains each of these words, such as `disk full`, in any ' +
                'order. Case and accents make no difference.',
            ),
        ),
      }),
      response: pageOf(logEntry, 'A page of log entries.', example),
    }),
    ingestLog: route('POST', '/api/v1/logs/ingest', {
      event: { type: 'log.ingested' },
      summary: 'Take in log entries',
      description: `One entry, or up to ${MOST_ENTRIES} of them as \`entries\`.`,
      permission: 'logs:write',
      body: ingestion,
      bodyExample: ENTRY,
      response: created(receipt, 'The entry, or all of the entries, are stored.', { id: ID, received: true }),
    }),
  },
});
