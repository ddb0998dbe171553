import { readFileSync } from 'node:fs';
import type { ZodOpenApiObject, ZodOpenApiSecuritySchemeObject } from 'zod-openapi';
import type { Route } from '#contract';

/** The parts of the document that do not come from contracts. */

/** What a caller reads first. Markdown. */
const introduction = readFileSync(new URL('introduction.md', import.meta.url), 'utf8').trimEnd();

export const INFO: ZodOpenApiObject['info'] = {
  title: 'Custodia API',
  version: '1.0.0',
  description: introduction,
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
  basicAuth: {
    type: 'http',
    scheme: 'basic',
    description: 'App code and secret of an integration that may do nothing else (RFC 7617).',
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
