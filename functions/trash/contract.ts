import * as z from 'zod';
import { contract, declared, noContent, ok, type RecordOf, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

/** Most records of a page. */
const PAGE = { standard: 50, max: 200 } as const;

const A_CURSOR = 'must be the `next` of an earlier response';

const kindOf = () => z.enum(['tickets', 'services', 'resources']);

const trashed = declared(() =>
  z
    .strictObject({
      id: field.uuid().describe('Names the record, as before its deletion.'),
      kind: kindOf().describe('Which records it is one of.'),
      title: field.text(100).describe('What it was about: the beginning of its `subject` or `name`.'),
      deleted_at: field.timestamp().describe('When it was deleted.'),
      restorable_until: field.timestamp().describe('Until when it can be restored.'),
      deleted_by: field
        .uuid()
        .nullable()
        .describe('Id of the integration or user that deleted it; null for others, such as the operator.'),
    })
    .describe('A deleted record that can be restored.')
    .meta({ id: 'TrashedRecord' }),
);

export type TrashedRecord = RecordOf<typeof trashed>;

const page = declared(() =>
  z
    .strictObject({
      data: z.array(trashed.schema).max(PAGE.max).describe('What was deleted last comes first.'),
      next: field
        .text(52)
        .nullable()
        .describe('The cursor to go on from: the next request’s `after`. Null at the end.')
        .meta({ examples: ['001795728600000-1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18'] }),
      more: z.boolean().describe('Whether there is more.'),
    })
    .describe('Deleted records that can be restored.')
    .meta({ id: 'TrashPage' }),
);

const example = {
  id: '1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18',
  kind: 'tickets',
  title: 'No sound',
  deleted_at: '2026-11-20T09:30:00.000Z',
  restorable_until: '2026-12-20T09:30:00.000Z',
  deleted_by: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
};

export const trash = contract({
  name: 'trash',
  tag: 'Trash',
  description: 'Tickets, services and resources that were deleted in the last 30 days and can be restored.',
  routes: {
    listTrash: route('GET', '/api/v1/trash', {
      extension: true,
      summary: 'List what can be restored',
      description: 'Needs the permission to read records of the kind, such as `tickets:read`.',
      permission: null,
      query: () => ({
        kind: kindOf().default('tickets').describe('Of which records.'),
        limit: parameter.limit(PAGE.max, PAGE.standard).describe('Most records of the response.'),
        after: field
          .bounded(52, A_CURSOR)
          .regex(/^\d{15}-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, { error: A_CURSOR })
          .optional()
          .describe('The cursor to go on from.')
          .meta({ examples: ['001795728600000-1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18'] }),
      }),
      response: ok(page, 'What can be restored.', { data: [example], next: null, more: false }),
    }),
    endTrashed: route('DELETE', '/api/v1/trash/{id}', {
      extension: true,
      privileged: true,
      summary: 'End what can be restored',
      description:
        'The record cannot be restored any more, and what belongs to it is deleted. Needs the permission to write ' +
        'records of its kind, such as `tickets:write`.',
      permission: null,
      params: () => ({ id: field.reference('Ticket').describe('Id of the deleted ticket, service or resource.') }),
      response: noContent('The record is gone for good.'),
      errors: ['not-found', 'forbidden'],
    }),
  },
});
