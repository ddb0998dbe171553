import * as z from 'zod';
import { readOnly, record } from '#contract';
import * as field from '#contract/field';
import * as sentence from '#contract/sentence';

export const event = record('Event', () => ({
  id: readOnly(field.uuid().describe(sentence.ID)),
  type: readOnly(
    field
      .text(100)
      .describe('What happened: the kind of the record and `created`, `updated` or `deleted`.')
      .meta({ examples: ['ticket.updated'] }),
  ),
  occurred_at: readOnly(
    field
      .timestamp()
      .describe(
        'When it was done, by the clock of the service. Events are in the order of what happened, not of this.',
      ),
  ),
  record_type: readOnly(field.text(100).describe('Name of the record in this document: `Ticket`.')),
  record_id: readOnly(field.uuid().describe('Which record of that type it was.')),
  parent_id: readOnly(
    field.uuid().nullable().describe('Of a record below another the id of that other: the ticket of a message.'),
  ),
  version: readOnly(
    field
      .count()
      .describe(
        'The version of the record after the change, as its `ETag` begins; of a deletion one more than it had. Between two events of a record there may be versions without one.',
      ),
  ),
  changed_fields: readOnly(
    z
      .array(field.text(100))
      .max(100)
      .nullable()
      .describe(
        'Of an update, names of the fields that it changed. Null where there are too many to name, and for creations and deletions. No event carries a value of a field.',
      )
      .meta({ examples: [['status', 'updated_at']] }),
  ),
  actor_id: readOnly(
    field
      .reference('Integration')
      .nullable()
      .describe('Id of the integration that did it; null for others, such as the operator.'),
  ),
  request_id: readOnly(
    field.text(128).nullable().describe('`X-Request-Id` of the response to that request; null where there was none.'),
  ),
})).describe('What happened to a record, and when.');
