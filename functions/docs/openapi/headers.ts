import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { MOST_RESIDUAL, refusalContext } from '#contract';

/** Response headers, as components. */

const text = (maxLength: number, example: string) => ({ schema: { type: 'string' as const, maxLength }, example });

export const responseHeaderComponents = {
  'X-Request-Id': {
    description: 'Names this request in the logs of the service: quote it when you ask about a response.',
    ...text(200, '5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90'),
  },
  'Cache-Control': { description: 'How long the response may be kept (RFC 9111).', ...text(200, 'private, no-cache') },
  ETag: {
    description:
      'The version of what is returned, for `If-None-Match` and, of a single record, `If-Match` (RFC 9110 ' +
      '§8.8.3). That of a list is weak: `W/"…"`.',
    ...text(200, '"3.pQ8x0aZcVd1k"'),
  },
  Location: {
    description: 'Path of the created record.',
    ...text(500, '/api/v1/clients/1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04'),
  },
  Link: {
    description:
      'The neighbours of this part of the list (RFC 8288): `first`, `prev`, `next` and `last`, as far as there ' +
      'are any. With a long query only `prev` and `next`.',
    ...text(
      8_192,
      '</api/v1/clients?page=1>; rel="first", </api/v1/clients?page=2>; rel="next", </api/v1/clients?page=2>; ' +
        'rel="last"',
    ),
  },
  'Scan-Units': {
    description:
      'There when an index has not answered all of the filters and the order: the read units that this took, and ' +
      'how many it may take (an item of RFC 9651). Beyond them the request is refused.',
    ...text(40, `37;limit=${MOST_RESIDUAL}`),
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer' as const, format: 'int32', minimum: 0, maximum: 86_400 },
    example: 2,
  },
  'RateLimit-Policy': {
    description:
      'The request budget that will end first: so many requests (`q`) in so many seconds (`w`) of the integration ' +
      '(`default`) or of all integrations of its tenant together (`tenant`). A request with much work takes ' +
      'several. There when the caller was identified (draft-ietf-httpapi-ratelimit-headers-11).',
    ...text(100, '"default";q=600;w=60'),
  },
  RateLimit: {
    description:
      'What is left of that budget: so many requests (`r`), and all of it again in so many seconds (`t`). There ' +
      'when the caller was identified.',
    ...text(100, '"default";r=574;t=3'),
  },
  'Idempotent-Replayed': {
    description:
      'There when this is the response that the same `Idempotency-Key` was given before. Fields of it that the ' +
      'caller would not be shown now are null, and so is a secret to any token but the one that asked first.',
    schema: { type: 'string' as const, enum: ['true'] },
    example: 'true',
  },
  'Preference-Applied': {
    description: 'There when the `Prefer` of the request was honoured (RFC 7240 §3).',
    ...text(100, 'handling=lenient'),
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750 §3).',
    ...text(200, refusalContext('The token has expired.').challenge),
  },
} satisfies ZodOpenApiComponentsObject['headers'];

export type ResponseHeader = keyof typeof responseHeaderComponents;

/** On every response to a caller identified by token or signature. */
export const BUDGET_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const satisfies readonly ResponseHeader[];

/** References to these headers, and to the two that every response has. */
export const headerReferences = (names: readonly ResponseHeader[]): Record<string, { $ref: string }> =>
  Object.fromEntries(
    (['X-Request-Id', 'Cache-Control', ...names] as const).map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
