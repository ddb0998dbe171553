/** `Link` headers of lists (RFC 8288): relative to the request's own host. */

type Query = Readonly<Record<string, readonly string[]>>;

const target = (path: string, query: Query, changes: Readonly<Record<string, number | string>>): string => {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    if (!Object.hasOwn(changes, name)) for (const value of values) parameters.append(name, value);
  }
  for (const [name, value] of Object.entries(changes)) parameters.set(name, String(value));
  return `<${path}?${parameters}>`;
};

/** First, previous, next and last page, as far as they exist. */
export function pageLinks(path: string, query: Query, at: { page: number; pageSize: number; total: number }): string {
  const last = Math.max(1, Math.ceil(at.total / at.pageSize));
  const pages: [relation: string, page: number][] = [['first', 1]];
  if (at.page > 1) pages.push(['prev', Math.min(at.page - 1, last)]);
  if (at.page < last) pages.push(['next', at.page + 1]);
  pages.push(['last', last]);
  return pages.map(([relation, page]) => `${target(path, query, { page })}; rel="${relation}"`).join(', ');
}

/** The next cursor page. */
export const nextLink = (path: string, query: Query, after: string): string =>
  `${target(path, query, { after })}; rel="next"`;
