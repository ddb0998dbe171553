import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import { parseJson } from '../contract/json.ts';
import { type Problem, problemDetails } from '../contract/problem.ts';
import type { ResponseType, Route } from '../contract/route.ts';
import type { Caller } from '../identity/caller.ts';
import { PageTooLarge } from '../table/errors.ts';
import type { Tenant } from '../table/tenant.ts';
import { countDeliverable, isDeliverable } from './deliverable.ts';
import { nextLink, pageLinks } from './links.ts';
import type { Answer } from './operation.ts';
import type { HttpRequest } from './request.ts';

/** Makes the HTTP response of an answer: exactly the fields of the contract, their `ETag`, `Link` and `Location`. */

const COMMON_HEADERS = { 'X-Content-Type-Options': 'nosniff' } as const;

interface Asked {
  readonly route: Route;
  readonly request: HttpRequest;
  readonly query: Readonly<Record<string, unknown>>;
  /** Path of the route that reads a record created here, if the domain has one. */
  readonly itemPath: string | undefined;
  readonly caller: Caller | undefined;
  readonly tenant?: Tenant;
}

/** @throws PageTooLarge when a page is more than one request reads, or than Lambda can carry: no record alone is so large */
export function responseOf(asked: Asked, answer: Answer): APIGatewayProxyResult {
  const { response } = asked.route;
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    'X-Request-Id': asked.request.requestId,
    'Cache-Control': 'private, no-cache',
    ...linksOf(asked, answer),
    ...answer.headers,
  };
  if (response.schema === undefined) return { statusCode: response.status, headers, body: '' };

  const value = present(response.schema, answer.body);
  const body = answer.text ?? JSON.stringify(value);
  if (answer.version !== undefined) headers.ETag = entityTag(answer.version, body);
  if (response.status === 201 && asked.itemPath !== undefined)
    headers.Location = locationOf(asked.itemPath, value, asked);
  if (asked.route.method === 'GET' && headers.ETag !== undefined && isFresh(asked.request, headers.ETag)) {
    return { statusCode: 304, headers, body: '' };
  }
  if (answer.isCut || !isDeliverable(body))
    throw new PageTooLarge(countDeliverable((value as { data: unknown[] }).data));
  return { statusCode: response.status, headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

/** A response as if it had been made without the values of these fields: they are null, and the entity tag is that of the rest. */
export function withoutFields<R extends Pick<APIGatewayProxyResult, 'headers' | 'body'>>(
  response: R,
  fields: readonly string[],
): R {
  const value = fields.length === 0 ? {} : (parseJson(response.body) as Record<string, unknown>);
  const shown = fields.filter((field) => (value[field] ?? null) !== null);
  if (shown.length === 0) return response;
  const body = JSON.stringify({ ...value, ...Object.fromEntries(shown.map((field) => [field, null])) });
  const version = /^"(\d+)\./.exec(String(response.headers?.ETag))?.[1];
  const tag = version === undefined ? {} : { ETag: entityTag(Number(version), body) };
  return { ...response, body, headers: { ...response.headers, ...tag } };
}

/** The response of a problem. */
export const problemResponse = (problem: Problem, requestId: string): APIGatewayProxyResult => ({
  statusCode: problem.status,
  headers: {
    ...COMMON_HEADERS,
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    ...problem.headers,
    'Content-Type': 'application/problem+json',
  },
  body: JSON.stringify(problemDetails(problem, requestId)),
});

/**
 * The strong validator of a record: its version, which `If-Match` compares, and a digest of the answer, so that the tag also
 * changes when only a derived field did (RFC 9110 §8.8.1).
 */
const entityTag = (version: number, body: string): string =>
  `"${version}.${createHash('sha256').update(body).digest('base64url').slice(0, 12)}"`;

/** Whether `If-None-Match` names this tag, weak or strong (RFC 9110 §13.1.2). No tag can be inside another: none holds quotation marks. */
function isFresh(request: HttpRequest, tag: string): boolean {
  const held = request.headers.get('if-none-match') ?? '';
  return held.trim() === '*' || held.includes(tag);
}

/** The value with exactly the fields of its schema: what is inside stays inside, what is missing shows its default or null. */
export function present(schema: NonNullable<ResponseType['schema']>, value: unknown): unknown {
  if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries<z.ZodType>(schema.shape).map(([field, fieldSchema]) => [
        field,
        present(fieldSchema, (value as Record<string, unknown>)[field]),
      ]),
    );
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => present(schema.element as z.ZodType, element));
  }
  return value === undefined ? (schema.meta()?.default ?? null) : value;
}

function linksOf({ request, route, query }: Asked, { body, next }: Answer): Record<string, string> {
  const path = pathOf(route, request);
  if (next !== undefined) return { Link: nextLink(path, request.query, next) };
  const total = (body as { total?: unknown } | undefined)?.total;
  return typeof total === 'number' && typeof query.page === 'number' && typeof query.page_size === 'number'
    ? { Link: pageLinks(path, request.query, { page: query.page, pageSize: query.page_size, total }) }
    : {};
}

const pathOf = (route: Route, request: HttpRequest): string =>
  route.path.replace(/\{(\w+)\}/g, (_, parameter: string) => request.params[parameter] ?? '');

/** Where a created record is read. A platform caller reads it by naming the organization again. */
function locationOf(itemPath: string, value: unknown, { caller, tenant }: Asked): string {
  const { id, org_id } = value as { readonly id?: unknown; readonly org_id?: unknown };
  const path = itemPath.replace(/\{\w+\}/, String(id));
  const orgId = tenant?.orgId ?? org_id;
  return caller?.orgId === null && typeof orgId === 'string' ? `${path}?org_id=${orgId}` : path;
}
