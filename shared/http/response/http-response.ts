import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '#contract';
import { MOST_RESIDUAL } from '#contract/lists';
import type { Caller } from '#identity';
import { parseJson } from '#json';
import { listErrors } from '#lists';
import type { Tenant } from '#table';
import type { OperationResponse } from '../operation.ts';
import type { HttpRequest } from '../request/http-request.ts';
import { metadataOf } from '../routes/route-metadata.ts';
import type { MatchedRoute } from '../routes/route-table.ts';
import { countDeliverable, isDeliverable } from './deliverable.ts';
import { entityTag, isFresh, listTag } from './entity-tags.ts';
import { nextLink, pageLinks } from './links.ts';
import { present } from './present.ts';

/** Makes the HTTP response of what an operation returns: exactly the fields of the contract, with `ETag`, `Link` and `Location`. */

interface Context {
  readonly matched: Pick<MatchedRoute, 'route' | 'itemPath'>;
  readonly request: HttpRequest;
  readonly input: { readonly query: Readonly<Record<string, unknown>> };
  readonly scope: { readonly caller: Caller | undefined; readonly tenant?: Tenant };
}

/** @throws PageTooLarge when a page is larger than one request may read, or than Lambda can carry. A single record never is. */
export function responseOf(context: Context, reply: OperationResponse): APIGatewayProxyResult {
  const { route, itemPath } = context.matched;
  const { response } = route;
  const headers: Record<string, string> = { ...linksOf(context, reply), ...scanOf(reply), ...reply.headers };
  const status = reply.existed ? 200 : response.status;
  const { response: projection } = metadataOf(route);
  if (projection === null) return { statusCode: status, headers, body: '' };

  const value = present(projection, reply.body);
  const body = reply.text ?? JSON.stringify(value);
  if (reply.version !== undefined) headers.ETag = entityTag(reply.version, body);
  else if (route.method === 'GET' && headers.ETag === undefined) headers.ETag = listTag(body);
  if (status === 201 && itemPath !== undefined) headers.Location = locationOf(itemPath, value, context.scope);
  if (route.method === 'GET' && headers.ETag !== undefined && isFresh(context.request, headers.ETag)) {
    return { statusCode: 304, headers, body: '' };
  }
  if (reply.isCut || !isDeliverable(body))
    throw new listErrors.PageTooLarge(countDeliverable((value as { data: unknown[] }).data));
  const statusCode = (reply.isPartly ? route.carries?.partly.status : undefined) ?? status;
  return { statusCode, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** The response with these fields set to null, and the entity tag of the changed body. */
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

function linksOf({ matched, request, input }: Context, { body, next }: OperationResponse): Record<string, string> {
  const path = pathOf(matched.route, request);
  const { query } = input;
  if (next !== undefined) return { Link: nextLink(path, request.query, next) };
  const total = (body as { total?: unknown } | undefined)?.total;
  return typeof total === 'number' && typeof query.page === 'number' && typeof query.page_size === 'number'
    ? linkOf(pageLinks(path, request.query, { page: query.page, pageSize: query.page_size, total }))
    : {};
}

const linkOf = (links: string): Record<string, string> => (links === '' ? {} : { Link: links });

/** How much of what may be read the filters and the order took that no index answers: an item of RFC 9651. */
const scanOf = ({ residualUnits }: OperationResponse): Record<string, string> =>
  residualUnits === undefined ? {} : { 'Scan-Units': `${Math.ceil(residualUnits)};limit=${MOST_RESIDUAL}` };

const pathOf = (route: Route, request: HttpRequest): string =>
  route.path.replace(/\{(\w+)\}/g, (_, parameter: string) => request.params[parameter] ?? '');

/** The path of a created record. A platform caller must name the organization to read it. */
function locationOf(itemPath: string, value: unknown, { caller, tenant }: Context['scope']): string {
  const { id, org_id } = value as { readonly id?: unknown; readonly org_id?: unknown };
  const path = itemPath.replace(/\{[a-z_]{1,30}\}/, String(id));
  const orgId = tenant?.orgId ?? org_id;
  return caller?.orgId === null && typeof orgId === 'string' ? `${path}?org_id=${orgId}` : path;
}
