import type { ZodOpenApiObject, ZodOpenApiSecuritySchemeObject } from 'zod-openapi';
import type { Route } from '#contract';

/** The parts of the document that do not come from contracts. */

const DESCRIPTION = `Clients, their services and resources, tickets, terminals and users, each organization by itself.

**Access.** Exchange an app code and its secret for a token at \`POST /api/v1/auth/login\` and send it as \`Authorization: Bearer …\`.
A token works in its own organization; a platform token names one with \`org_id\`. Another organization's record does not exist for you: 404.

**Records.** Fields that are omitted come back with their default or \`null\`. A \`PATCH\` changes the fields it sends. Fields
that cannot be set may be sent back as they were read; another value is a 422, unless \`Prefer: handling=lenient\` (RFC 7240) asks to
ignore it. Unknown fields are refused. A name that shows nothing is refused, also one of
invisible characters that its pattern cannot exclude; codes, slugs and external ids lose such characters at their ends. Send the \`ETag\` of what you read as \`If-Match\` and a change that would
overwrite another's is refused with 412.

**Lists** take \`page\` and \`page_size\` (25 unless given, 200 at most), return the exact \`total\`, and link to their neighbours in \`Link\`. Filters combine. One that takes several values has them separated by commas, or is repeated: \`status=open,pending\` finds records with any of them, up to ten. Wherever there is a \`GET\`, \`HEAD\` gets the same response, without the body.

**Compression.** A response of 1,024 bytes or more comes compressed if \`Accept-Encoding\` asks for gzip or deflate; a body may be sent so too,
with \`Content-Encoding\`. Limits of sizes and a webhook's signature are of what it is before.

**Errors** are problem details (RFC 9457) with a stable \`type\`, the \`request_id\` to quote, and a pointer to each finding.

Operations marked \`x-extension\` extend the specification of this service.`;

export const INFO: ZodOpenApiObject['info'] = {
  title: 'Custodia API',
  version: '1.0.0',
  description: DESCRIPTION,
  contact: { name: 'The operators of this service' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
};

/**
 * Relative to the address of the document (OpenAPI 3.1.0 §4.8.5). A deployed stage names its own address
 * (`functions/openapi/operations.ts`).
 */
export const SERVERS: NonNullable<ZodOpenApiObject['servers']> = [
  { url: '/', description: 'The host that serves this document, local or production', 'x-internal': false },
];

export const SECURITY_SCHEMES: Record<string, ZodOpenApiSecuritySchemeObject> = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of `POST /api/v1/auth/login`, a JWT checked by RFC8725. It lives for an hour.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: 'HMAC-SHA256 of the body, keyed with the secret of the integration, as 64 hex digits.',
  },
};

/** The alternative security requirements of an operation. */
export const SECURITY: Readonly<Record<Route['auth'], Record<string, string[]>[]>> = {
  bearer: [{ bearerAuth: [] }],
  'bearer-optional': [{ bearerAuth: [] }, {}],
  signature: [{ signature: [] }],
  none: [],
};
