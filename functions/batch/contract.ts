import * as z from 'zod';
import { body, contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';
import { asNumber } from '#json';
import { isObject } from '../../shared/well-formed.ts';
import { batchableOperations } from './batchable.ts';
import { AT_ONCE, BEGIN_WITHIN, MAX_PARAMETER, MOST_OPERATIONS } from './limits.ts';

/** Longest key, in characters: that of an `Idempotency-Key`. */
const MAX_KEY = 255;
const A_KEY = `must be 1 to ${MAX_KEY} visible ASCII characters`;

const key = () => field.bounded(MAX_KEY, A_KEY).regex(/^[\x21-\x7e]{1,255}$/, { error: A_KEY });

/** Its route checks what is in it, also whether its numbers are in the range of a double. */
const carriedBody = () =>
  z
    // A number that is kept as text is an object in JavaScript.
    .custom<field.JsonObject>((given) => isObject(asNumber(given)), {
      error: ({ input }) => (input === undefined ? undefined : 'must be a JSON object'),
    })
    .meta(field.shownAs({ type: 'object', additionalProperties: true }));

const operation = () =>
  z.strictObject({
    key: key().describe(
      'Names the operation in the response; unique in the batch. Of a creation it is the `Idempotency-Key` as ' +
        'well: sent again within a day, here or alone, it creates nothing.',
    ),
    operation: z.enum(batchableOperations()).describe('What to do: the id of an operation in this document.'),
    params: field
      .anyJsonObject()
      .meta(field.shownAs({ type: 'object', additionalProperties: { type: 'string', maxLength: MAX_PARAMETER } }))
      .optional()
      .describe('The parameters of its path and query, by name: `{ "id": "…" }`.'),
    body: carriedBody().optional().describe('Its body, where it takes one.'),
    if_match: field
      .bounded(1_000)
      .optional()
      .describe('Of a change or a deletion: the `ETag` that was read, as `If-Match` takes it.'),
  });

const batchBody = body('Batch', () => ({
  operations: field.list(operation(), MOST_OPERATIONS, 1).describe('What to do.'),
})).describe('Operations that are carried out one by one, as if each had been sent alone.');

const result = () =>
  z.strictObject({
    key: key().describe('That of the operation.'),
    status: z.int32().min(200).max(599).describe('The status that the operation would have had alone.'),
    etag: field.text(200).optional().describe('The `ETag` of the record: `if_match` takes it.'),
    replayed: z
      .literal(true)
      .optional()
      .describe('There when a creation with this key was carried out before, and this is its response.'),
    retry_after: z.int32().min(0).max(86_400).optional().describe('Seconds to wait before it is sent again.'),
    body: field
      .anyJsonObject()
      .optional()
      .describe('The `id` and `version` of the record; the whole record with `Prefer: return=representation`.'),
    problem: field
      .anyJsonObject()
      .meta(field.shownAs({ $ref: '#/components/schemas/Problem' }))
      .optional()
      .describe(
        'Why it was not carried out: problem details as the operation returns them alone. Pointers begin in its ' +
          'own body.',
      ),
    omitted: z
      .literal(true)
      .optional()
      .describe('There when the response would be too large with the body, or with the findings of the problem.'),
  });

const batchResult = declared(() =>
  z
    .strictObject({
      results: z.array(result()).max(MOST_OPERATIONS).describe('One for each operation, in their order.'),
      counts: field
        .anyJsonObject()
        .meta(
          field.shownAs({
            type: 'object',
            additionalProperties: { type: 'integer', format: 'int32', minimum: 1, maximum: MOST_OPERATIONS },
          }),
        )
        .describe('How many operations have which status.'),
    })
    .describe('What became of each operation of a batch.')
    .meta({ id: 'BatchResult' }),
);

const CLIENT_ID = '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04';
const created = { key: 'row-1', operation: 'createClient', body: { name: 'Acme Lda' } };
const createdResult = { key: 'row-1', status: 201, etag: '"1.pQ8x0aZcVd1k"', body: { id: CLIENT_ID, version: 1 } };

export const batch = contract({
  name: 'batch',
  tag: 'Batch',
  description: 'Many operations in one request, each as if it had been sent alone.',
  mainOperation: 'runBatch',
  routes: {
    runBatch: route('POST', '/api/v1/batch', {
      summary: 'Carry out many operations',
      description:
        'Each operation needs its own permission, counts to the request budget, and succeeds or fails ' +
        `alone. Those that name the same record are carried out in their order, others up to ${AT_ONCE} at a time. ` +
        `What has not begun after ${BEGIN_WITHIN / 1_000} s, or when the budget is spent, is \`not-attempted\`: send ` +
        'it again.',
      extension: true,
      permission: null,
      body: batchBody,
      bodyExample: { operations: [created] },
      batch: {
        field: 'operations',
        lines: {
          sent: { description: 'One operation a line.', example: JSON.stringify(created) },
          returned: { description: 'One result a line.', example: JSON.stringify(createdResult) },
        },
        partly: { status: 207, description: 'Not every operation has succeeded.' },
      },
      response: ok(batchResult, 'Every operation has succeeded.', { results: [createdResult], counts: { 201: 1 } }),
    }),
  },
});
