import type { ZodOpenApiMediaTypeObject } from 'zod-openapi';
import type { Route } from '#contract';

/** A body of NDJSON. OpenAPI 3.1 has no schema for its lines, so it is a text. */
export const ndjsonOf = (
  { description, example }: NonNullable<Route['carries']>['lines']['sent'],
  maxLength: number,
): Readonly<Record<string, ZodOpenApiMediaTypeObject>> => ({
  'application/x-ndjson': { schema: { type: 'string', description, maxLength }, example: `${example}\n` },
});
