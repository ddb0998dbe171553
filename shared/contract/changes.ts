import * as z from 'zod';
import { lazily } from '../memory.ts';
import { count, shownAs, text, timestamp, uuid } from './fields.ts';
import type { Example } from './route.ts';

/** The history of a record: what `usual.changes` of `crud` declares. */

/** Most changes of a response. */
const MOST = 50;

interface Changed {
  readonly from?: unknown;
  readonly to?: unknown;
  readonly changed?: true;
}

const CHANGED = {
  type: 'object',
  properties: {
    from: { description: 'The value before: a text, a number, `true`, `false` or null.' },
    to: { description: 'The value after.' },
    changed: { type: 'boolean', description: 'In place of the values, where they are not kept.' },
  },
} as const;

const change = lazily(() =>
  z
    .strictObject({
      id: uuid().describe('Id of the event that tells of it (`GET /api/v1/events`).'),
      type: text(100).describe('What happened: the kind of record, and `created`, `updated` or `moved`.'),
      occurred_at: timestamp().describe('When, by the clock of the service.'),
      version: count().describe('That of the record after the change.'),
      actor_id: uuid()
        .nullable()
        .describe('Id of the integration or user that did it; null for others, such as the operator.'),
      request_id: text(128)
        .nullable()
        .describe('`X-Request-Id` of the request that did it; null where there was no request.'),
      changes: z
        .custom<Readonly<Record<string, Changed>>>((given) => typeof given === 'object')
        .meta(shownAs({ type: 'object', additionalProperties: CHANGED }))
        .nullable()
        .describe('By name the fields that were changed; null for a creation.'),
    })
    .describe('A change of a record.')
    .meta({ id: 'RecordChange' }),
);

const changes = lazily(() =>
  z
    .strictObject({ data: z.array(change()).max(MOST).describe('The changes, the newest first.') })
    .meta({ id: 'RecordChangeList' }),
);

const DESCRIPTION =
  `The last ${MOST} changes, as far as they are of the last 30 days, the newest first. Of texts of over 100 ` +
  'characters, lists, objects and secrets it says only that they changed, and so of the longest values where many ' +
  'fields changed at once.';

/** What the routes have in common. @param one a record, with its article @param record an example */
export const changesOf = (one: string, record: Example) => {
  const type = `${one.replace(/^an? /, '').replaceAll(' ', '_')}.updated`;
  const [field = '', to] = Object.entries(record).find(([name]) => name === 'name' || name === 'subject') ?? [];
  const example = { ...EXAMPLE, type, changes: { [field]: { from: 'Before', to } } };
  const response = {
    status: 200 as const,
    isList: true as const,
    get schema() {
      return changes();
    },
    description: 'The changes of the record.',
    example: { data: [example] },
  };
  return { summary: `List the changes of ${one}`, description: DESCRIPTION, extension: true, response } as const;
};

const EXAMPLE = {
  id: '7df59570-303b-4c3e-b7a9-1d5f8e2c6b40',
  type: '',
  occurred_at: '2026-11-20T09:30:00.000Z',
  version: 2,
  actor_id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
  request_id: 'b4c8f0e2-6a1d-4f39-8e57-2d90c3a7b615',
};
