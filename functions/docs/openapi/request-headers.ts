import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import type { takesHeader } from '#contract';

/**
 * A list of entity tags, or `*` (RFC 9110 §13.1.1). The tags of this service have no commas, and may come without
 * quotation marks.
 */
const TAG = '((W/)?"[!#-+\\--~]*"|[A-Za-z0-9._-]+)';

const ENTITY_TAGS = `^(\\*|${TAG}( *, *${TAG})*)$`;

type Parameter = NonNullable<ZodOpenApiComponentsObject['parameters']>[string];

/** For headers that are ignored when they are malformed: no request is refused because of them. */
const LENIENT = { type: 'string' } as const;

/**
 * Request headers that follow from the kind of a route, as components. An optional header has its example in words: a
 * console would send the keyword `example`, and so the same key for every creation.
 */
export const requestHeaders = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has ' +
      'changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version.',
    required: false,
    schema: { type: 'string', maxLength: 1_000, pattern: ENTITY_TAGS },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when ' +
      'nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored.',
    required: false,
    schema: LENIENT,
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A random text of your own that names this request for a day, such as the UUID ' +
      '`8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same ' +
      'response as the first time, with as much as its caller may see by then.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). ' +
      'Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole ' +
      'records (§4.2).',
    required: false,
    schema: LENIENT,
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    description:
      'The trace of which this request is a part (W3C Trace Context), such as ' +
      '`00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. ' +
      'A malformed one is ignored.',
    required: false,
    schema: LENIENT,
  },
} satisfies Record<Parameters<typeof takesHeader>[1], Parameter>;
