import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/** `Link` headers of lists (RFC 8288): paths of the contract, which `underBasePath` changes to those of the address that was called. */

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

/**
 * The part of the called path before the route's own: `/prod` at the address that API Gateway gives a stage, nothing at the root of a custom
 * domain. `requestContext.path` is the path as the caller wrote it, at either address.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function basePathOf({ resource, requestContext }: APIGatewayProxyEvent): string {
  const called = segmentsOf(requestContext.path);
  return called
    .slice(0, Math.max(0, called.length - segmentsOf(resource).length))
    .map((segment) => `/${segment}`)
    .join('');
}

const segmentsOf = (path = ''): string[] => path.split('/').filter((segment) => segment !== '');

type Headers = NonNullable<APIGatewayProxyResult['headers']>;

/** Headers whose paths, in `Link` and `Location`, lead where the caller can follow them. Also those of a response that is given again. */
export function underBasePath(headers: Headers, basePath: string): Headers {
  const { Link: link, Location: location } = headers;
  return {
    ...headers,
    ...(link === undefined ? {} : { Link: String(link).replaceAll('</', () => `<${basePath}/`) }),
    ...(location === undefined ? {} : { Location: `${basePath}${location}` }),
  };
}
