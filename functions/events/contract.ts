import * as z from 'zod';
import { contract, declared, ok, type RecordOf, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

/** Most events of a page. */
const PAGE = { standard: 100, max: 200 } as const;

/** The cursor of a feed that has only events from now on. */
export const LATEST = 'latest';

const A_CURSOR = `must be \`${LATEST}\`, or a cursor: the \`next\` of an earlier response`;
const SOME_TYPES = 'must be types of events, separated by commas: `ticket.created,ticket.updated`';

const RECORD = '1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18';

export const event = declared(() =>
  z
    .strictObject({
      id: field.uuid().describe('Names the event. It comes again with the same id.'),
      type: field
        .text(100)
        .describe('What happened: the kind of record, and `created`, `updated` or `deleted`.')
        .meta({ examples: ['ticket.updated'] }),
      occurred_at: field
        .timestamp()
        .describe('When, by the clock of the service. Events are not in the order of these times.'),
      record_type: field
        .text(100)
        .describe('Name of the record in this document.')
        .meta({ examples: ['Ticket'] }),
      record_id: field.uuid().describe('Which record of that type it happened to.'),
      parent_id: field
        .uuid()
        .nullable()
        .describe('Of a record below another, the id of that other: the ticket of a message. Null for others.'),
      version: field
        .count()
        .describe(
          'That of the record after the change, with which its `ETag` begins; of a deletion one more than it had. ' +
            'It has holes.',
        ),
      changed_fields: z
        .array(field.text(100))
        .max(100)
        .nullable()
        .describe('Names of the fields that an update changed; null where they are too many, and for other events.')
        .meta({ examples: [['status', 'updated_at']] }),
      actor_id: field
        .uuid()
        .nullable()
        .describe('Id of the integration or user that did it; null for others, such as the operator.'),
      request_id: field
        .text(128)
        .nullable()
        .describe('`X-Request-Id` of the request that did it; null where there was no request.'),
      challenge: field
        .text(100)
        .optional()
        .describe(
          'Only in a ping to an `unverified` endpoint: the body of the response is to be its HMAC-SHA256 under ' +
            'the secret as it was shown, in lower-case hexadecimal digits.',
        )
        .meta({ examples: ['Hf3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE'] }),
      record: field
        .anyJsonObject()
        .nullable()
        .optional()
        .describe(
          'With `expand=record`, the record as it is now, but never with `credentials`; null where it does not ' +
            'exist any more.',
        )
        .meta({ examples: [{ id: RECORD, subject: 'No sound', status: 'closed' }] }),
    })
    .describe('That a record was created, changed or deleted. No event carries a value of a field.')
    .meta({ id: 'Event' }),
);

export type Event = RecordOf<typeof event>;

const page = declared(() =>
  z
    .strictObject({
      data: z
        .array(event.schema)
        .max(PAGE.max)
        .describe('The events, in the order in which they happened. There may be none although there are `more`.'),
      next: field.text(32).describe('The cursor to go on from: the next request’s `after`. It is kept for 30 days.'),
      more: z.boolean().describe('Whether there is more to read at once. Otherwise ask again after a while.'),
    })
    .describe('What happened, up to a cursor.')
    .meta({ id: 'EventPage' }),
);

const example = {
  data: [
    {
      id: '7df59570-303b-4c3e-b7a9-1d5f8e2c6b40',
      type: 'ticket.updated',
      occurred_at: '2026-11-20T09:30:00.000Z',
      record_type: 'Ticket',
      record_id: RECORD,
      parent_id: null,
      version: 3,
      changed_fields: ['last_activity_at', 'status', 'updated_at'],
      actor_id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
      request_id: 'b4c8f0e2-6a1d-4f39-8e57-2d90c3a7b615',
    },
  ],
  next: 'AT-cGrQtcAAAAAAHKqXzty8FPQpDTplu',
  more: false,
};

export const events = contract({
  name: 'events',
  tag: 'Events',
  description:
    'What has happened to records, in order and without a gap, for those who keep a copy or react to changes.',
  routes: {
    listEvents: route('GET', '/api/v1/events', {
      summary: 'Follow what happens',
      description:
        'Returns the events after a cursor, the oldest first, and the cursor `next` that continues: so a caller ' +
        'gets every event of the last 30 days, in order. Without `after` it begins with the oldest event. With ' +
        `\`after=${LATEST}\` it has ` +
        'none, and a cursor for what happens from now on. Only events of records that the caller may read are ' +
        'returned, from at most 1,000 events or 4 MB of records.',
      extension: true,
      permission: 'events:read',
      query: () => ({
        after: field
          .bounded(32, A_CURSOR)
          .regex(/^(?:[\w-]{32}|latest)$/, { error: A_CURSOR })
          .optional()
          .describe(`The cursor to go on from; \`${LATEST}\` for one to begin with.`)
          .meta({ examples: [LATEST] }),
        limit: parameter.limit(PAGE.max, PAGE.standard).describe('Most events of the response.'),
        types: field
          .bounded(2_000, SOME_TYPES)
          .regex(/^[a-z_]+\.[a-z]+(?:,[a-z_]+\.[a-z]+)*$/, { error: SOME_TYPES })
          .optional()
          .describe('Only events of these types, separated by commas.')
          .meta({ examples: ['ticket.created,ticket.updated'] }),
        record_id: field.uuid().optional().describe('Only events of the record with this id, as a feed of its own.'),
        expand: z.enum(['record']).optional().describe('`record`: each event with its record, as it is now.'),
      }),
      response: ok(page, 'The events up to `next`.', example),
      errors: ['cursor-expired'],
    }),
  },
});
