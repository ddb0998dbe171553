import { hash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { MAX_RESPONSE, MOST_RESIDUAL, Problem, type Route } from '#contract';
import type { Caller } from '#identity';
import { escapedSize, fitsEscaped, parseJson } from '#json';
import type { Tenant } from '#table';
import type { MatchedRoute, OperationResponse } from './operation.ts';
import type { HttpRequest } from './request/http-request.ts';
import { metadataOf, present } from './route-metadata.ts';

/**
 * Makes the HTTP response of what an operation returns: exactly the fields of the contract, with `ETag`, `Link` and
 * `Location`.
 */

interface Context {
  readonly matched: Pick<MatchedRoute, 'route' | 'itemPath'>;
  readonly request: HttpRequest;
  readonly input: { readonly query: Readonly<Record<string, unknown>> };
  readonly scope: { readonly caller: Caller | undefined; readonly tenant?: Tenant };
}

/** The records of a page are more than one request may read, or than one response can carry. */
export class PageTooLarge extends Error {
  /** How many of them, from the first on, would fit. */
  readonly fitting: number;

  constructor(fitting: number) {
    super(`only ${fitting} records of the page fit`);
    this.fitting = fitting;
  }
}

/**
 * @throws PageTooLarge when a page is larger than one request may read, or than Lambda can carry. A single record never
 *   is.
 */
export function responseOf(context: Context, reply: OperationResponse): APIGatewayProxyResult {
  const { route, itemPath } = context.matched;
  const headers: Record<string, string> = { ...linksOf(context, reply), ...scanOf(reply), ...reply.headers };
  const status = reply.existed ? 200 : (reply.status ?? route.response.status);
  const { response: projection } = metadataOf(route);
  if (projection === null || reply.text === '') return { statusCode: status, headers, body: '' };

  const value = present(projection, reply.body);
  const body = reply.text ?? JSON.stringify(value);
  if (reply.version !== undefined) headers.ETag = entityTag(reply.version, body);
  else if (route.method === 'GET' && headers.ETag === undefined) headers.ETag = listTag(body);
  if (status === 201 && itemPath !== undefined) headers.Location = locationOf(itemPath, value, context);
  if (route.method === 'GET' && headers.ETag !== undefined && isFresh(context.request, headers.ETag)) {
    return { statusCode: 304, headers, body: '' };
  }
  if (reply.isCut || !isDeliverable(body))
    throw new PageTooLarge(countDeliverable((value as { data: unknown[] }).data));
  return { statusCode: status, headers: { 'Content-Type': 'application/json', ...headers }, body };
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
function locationOf(itemPath: string, value: unknown, { request, scope }: Context): string {
  const { caller, tenant } = scope;
  const { id, org_id } = value as { readonly id?: unknown; readonly org_id?: unknown };
  const path = itemPath.replace(/\{([a-z_]{1,30})\}/g, (_, name: string) => request.params[name] ?? String(id));
  const orgId = tenant?.orgId ?? org_id;
  return caller?.orgId === null && typeof orgId === 'string' ? `${path}?org_id=${orgId}` : path;
}

/**
 * `Link` headers of lists (RFC 8288): paths of the contract, which `underBasePath` changes to those of the address that
 * was called.
 */

type Query = Readonly<Record<string, readonly string[]>>;

const target = (path: string, query: Query, changes: Readonly<Record<string, number | string>>): string => {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    if (!Object.hasOwn(changes, name)) for (const value of values) parameters.append(name, value);
  }
  for (const [name, value] of Object.entries(changes)) parameters.set(name, String(value));
  return `<${path}?${parameters}>`;
};

/** Most bytes of a header with all of them. */
const MOST_BYTES = 8_192;

/** First, previous, next and last page, as far as they exist; of a long query only the previous and the next one. */
export function pageLinks(path: string, query: Query, at: { page: number; pageSize: number; total: number }): string {
  const last = Math.max(1, Math.ceil(at.total / at.pageSize));
  const pages: [relation: string, page: number][] = [['first', 1]];
  if (at.page > 1) pages.push(['prev', Math.min(at.page - 1, last)]);
  if (at.page < last) pages.push(['next', at.page + 1]);
  pages.push(['last', last]);
  const links = pages.map(([relation, page]) => ({
    relation,
    link: `${target(path, query, { page })}; rel="${relation}"`,
  }));
  const isLong = links.reduce((sum, { link }) => sum + link.length + 2, 0) > MOST_BYTES;
  const kept = isLong ? links.filter(({ relation }) => relation === 'prev' || relation === 'next') : links;
  return kept.map(({ link }) => link).join(', ');
}

/** The next cursor page. */
export const nextLink = (path: string, query: Query, after: string): string =>
  `${target(path, query, { after })}; rel="next"`;

type Headers = NonNullable<APIGatewayProxyResult['headers']>;

/**
 * Headers whose paths, in `Link` and `Location`, lead where the caller can follow them. Also those of a response that
 * is given again.
 */
export function underBasePath(headers: Headers, basePath: string): Headers {
  const { Link: link, Location: location } = headers;
  return {
    ...headers,
    ...(link === undefined ? {} : { Link: String(link).replaceAll('</', () => `<${basePath}/`) }),
    ...(location === undefined ? {} : { Location: `${basePath}${location}` }),
  };
}

/** Upper bound for everything in a list response except its records. In bytes. */
const ENVELOPE = 1_000;

/** Whether one response can carry a body. */
export const isDeliverable = (body: string): boolean => fitsEscaped(body, MAX_RESPONSE);

/** How many of these values, from the first on, one list response can carry. */
export function countDeliverable(values: readonly unknown[]): number {
  if (fitsEscaped(JSON.stringify(values), MAX_RESPONSE - ENVELOPE)) return values.length;
  let size = ENVELOPE;
  const beyond = values.findIndex((value) => {
    size += escapedSize(JSON.stringify(value));
    return size > MAX_RESPONSE;
  });
  return beyond < 0 ? values.length : beyond;
}

/** Entity tags of responses, and the conditions of requests that name them (RFC 9110 §8.8.3, §13). */

/**
 * The strong validator of a record: its version, which `If-Match` compares, and a digest of the body, so that the tag
 * also changes with a derived field (RFC 9110 §8.8.1).
 */
export const entityTag = (version: number, body: string): string => `"${version}.${digestOf(body)}"`;

/** The weak validator of what has no version, such as a list: a digest of the body (RFC 9110 §8.8.1). */
export const listTag = (body: string): string => `W/"${digestOf(body)}"`;

/** Its last character is no dash, which would look like the first of a proxy's mark. */
const digestOf = (body: string): string => hash('sha256', body, 'base64url').slice(0, 12).replace(/-$/, '_');

/**
 * What proxies that compress a response add to its tag, within the quotation marks: `-gzip` (Apache, Caddy), `--gzip`
 * (Jetty), `;gzip`.
 */
const CODINGS = /(?:--?|;)(?:gzip|deflate|br|zstd)(?=")/g;

/**
 * Whether `If-None-Match` names this tag, weak or strong (RFC 9110 §13.1.2), also as a proxy has marked it. `includes`
 * is exact, because no tag contains quotation marks.
 */
export function isFresh(request: HttpRequest, tag: string): boolean {
  const held = request.headers.get('if-none-match') ?? '';
  return held.trim() === '*' || held.replace(CODINGS, '').includes(tag.replace(/^W\//, ''));
}

/**
 * Checks `If-Match` against the version of the record as read (RFC 9110 §13.1.1). The write's condition checks that
 * version again at commit.
 *
 * An entity tag is `"<version>.<digest>"`; only the version is compared, because a changed counter is no reason to
 * refuse. So a tag that a proxy has weakened or marked when it compressed the response names the same version
 * (`docs/decisions/0007-entity-tags.md`).
 * @throws Problem `precondition-failed`, or `invalid-parameter` when the header is not a list of entity tags
 */
export function checkIfMatch(request: Pick<HttpRequest, 'headers'>, version: number): void {
  const tags = tagsOf(request, 'If-Match');
  if (tags === undefined || tags === '*') return;
  if (tags.some((tag) => VERSION.exec(tag)?.[1] === String(version))) return;
  const detail = tags.some((tag) => VERSION.test(tag)) ? ANOTHER_VERSION : NO_TAG_OF_A_RECORD;
  throw new Problem('precondition-failed', { detail });
}

/**
 * Checks `If-Match` of a request that creates a record: no tag, and not even `*`, matches what is not there (RFC 9110
 * §13.1.1).
 * @throws Problem `precondition-failed`, or `invalid-parameter` when the header is not a list of entity tags
 */
export function checkIfMatchOfNone(request: Pick<HttpRequest, 'headers'>): void {
  if (tagsOf(request, 'If-Match') === undefined) return;
  throw new Problem('precondition-failed', { detail: 'If-Match names a version of a record that is not there.' });
}

const ANOTHER_VERSION = 'If-Match names another version. Read the record again, and send the ETag that it has now.';
/** Those of lists are none. */
const NO_TAG_OF_A_RECORD =
  'If-Match names no ETag of a record, such as "3.pQ8x0aZcVd1k": send the one that was read with the record.';

/**
 * Checks `If-None-Match` of a request that changes an existing record: `*` never holds, and a tag does not hold while
 * it is the record's (RFC 9110 §13.1.2). In a read it asks for a 304: {@link isFresh}.
 * @throws Problem `precondition-failed`, or `invalid-parameter` when the header is not a list of entity tags
 */
export function checkIfNoneMatch(request: Pick<HttpRequest, 'headers'>, version: number): void {
  const tags = tagsOf(request, 'If-None-Match');
  if (tags === undefined) return;
  const holds = tags !== '*' && !tags.some((tag) => VERSION.exec(tag)?.[1] === String(version));
  if (!holds) {
    throw new Problem('precondition-failed', {
      detail: 'The record is there, in a version that If-None-Match excludes.',
    });
  }
}

function tagsOf(
  { headers }: Pick<HttpRequest, 'headers'>,
  name: 'If-Match' | 'If-None-Match',
): '*' | readonly string[] | undefined {
  const header = headers.get(name.toLowerCase())?.trim();
  if (header === undefined || header === '*') return header;
  const tags = header.split(',').map((tag) => tag.trim());
  if (tags.every((tag) => ENTITY_TAG.test(tag))) return tags;
  throw new Problem('invalid-parameter', {
    errors: [{ in: 'header', pointer: `#/${name}`, detail: 'must be "*" or a list of entity tags' }],
  });
}

/**
 * Some libraries strip the quotation marks. Without them a tag has letters, digits, points, dashes and underscores
 * only.
 */
const ENTITY_TAG = /^((W\/)?"[\x21\x23-\x7e\x80-\xff]*"|[\w.-]+)$/;
/** The version of a tag, weak or strong, with the mark of a coding or without. */
const VERSION = /^(?:W\/)?"?(\d+)\.[\w-]+(?:;\w+)?"?$/;
