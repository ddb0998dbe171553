import { parseJson } from '#json';
import { isObject } from '../../shared/well-formed.ts';

/** Most bytes of a result: an agent pays for them again with every step that it goes on. */
const MOST = 24_000;

/**
 * As much of a response as a result may have: of a list its first records, of anything else its first bytes. And how to
 * go on, where something is left out.
 * @param link the `Link` of the response
 */
export function cut(body: string, link = ''): readonly string[] {
  const [, target = ''] = /<([^<>]*)>; ?rel="next"/.exec(link) ?? [];
  const next = URL.parse(target, 'http://localhost')?.searchParams.get('after') ?? undefined;
  if (Buffer.byteLength(body) <= MOST) return next === undefined ? [body] : [body, `More: go on with after=${next}.`];
  const parsed = parseJson(body);
  const { data, page, page_size: size } = isObject(parsed) ? parsed : {};
  const count = Array.isArray(data) ? fitting(data) : 0;
  if (!Array.isArray(data) || count === 0) return [prefix(body), 'Cut at 24 KB.'];
  if (typeof page === 'number' && typeof size === 'number') {
    const [kept, at] = pageFrom((page - 1) * size, count);
    const text = JSON.stringify({ ...(parsed as object), data: data.slice(0, kept), page: at, page_size: kept });
    return [text, `Cut at 24 KB: go on with page_size=${kept} and page=${at + 1}.`];
  }
  // What comes after the records, such as a cursor, would be about all of them.
  const last: { readonly id?: unknown } = data[count - 1];
  const onward = next === undefined ? 'ask for fewer' : `go on with after=${last.id}`;
  return [JSON.stringify({ data: data.slice(0, count) }), `Cut at 24 KB, ${count} of ${data.length}: ${onward}.`];
}

/** How many of these, from the first on. */
function fitting(values: readonly unknown[]): number {
  // For what a list has beside them.
  let size = 200;
  const beyond = values.findIndex((value) => {
    size += Buffer.byteLength(JSON.stringify(value)) + 1;
    return size > MOST;
  });
  return beyond < 0 ? values.length : beyond;
}

/** The largest size of pages, up to `most`, of which one begins at `offset`; and that page. */
function pageFrom(offset: number, most: number): readonly [size: number, page: number] {
  let size = most;
  while (offset % size !== 0) size -= 1;
  return [size, offset / size + 1];
}

/** Without a character that would be cut in two. */
const prefix = (text: string): string =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, MOST), { stream: true });
