import type { Timing } from './timing.ts';
import type { ApiResponse, Call, DataOf, Init, InitParam, ListPath, ReadPath, RecordOf } from './types.ts';

/** What is read more than once. */
export interface Lists {
  /** The pages of a list, from the one that `params.query` names to the last. */
  readonly pages: <P extends ListPath>(
    path: P,
    ...init: InitParam<Init<P, 'get'>>
  ) => AsyncGenerator<DataOf<P, 'get'>, void>;
  /** The records of a list, page by page. */
  readonly records: <P extends ListPath>(
    path: P,
    ...init: InitParam<Init<P, 'get'>>
  ) => AsyncGenerator<RecordOf<P>, void>;
  /**
   * What is at a path, now and after every change, until the loop is left or `signal` is aborted (which throws). It asks with `If-None-Match`:
   * the response to "no change" is empty.
   */
  readonly watch: <P extends ReadPath>(
    path: P,
    ...init: InitParam<Init<P, 'get'> & WatchOptions>
  ) => AsyncGenerator<DataOf<P, 'get'>, void>;
}

export interface WatchOptions {
  /** Milliseconds between one response and the next request: 5,000 unless told. */
  readonly every?: number;
}

/** What all inits of reads have, whatever the path. */
interface AnyInit {
  readonly params?: { readonly query?: object; readonly header?: object };
  readonly signal?: AbortSignal | null;
  readonly every?: number;
}

type Read = (path: string, init: object) => Promise<ApiResponse<unknown>>;

export function listsWith(GET: Call<'get'>, timing: Timing): Lists {
  const read = GET as unknown as Read;

  async function* pages(path: string, init: AnyInit = {}): AsyncGenerator<unknown, void> {
    let query: object | undefined = init.params?.query;
    do {
      const { data, response } = await read(path, { ...init, params: { ...init.params, query } });
      yield data;
      query = nextQuery(query, data as Partial<Page>, response);
    } while (query !== undefined);
  }

  async function* records(path: string, init?: AnyInit): AsyncGenerator<unknown, void> {
    for await (const page of pages(path, init)) yield* (page as Page).data;
  }

  async function* watch(path: string, { every = 5000, ...init }: AnyInit = {}): AsyncGenerator<unknown, void> {
    let tag: string | null = null;
    for (;;) {
      const header = { ...init.params?.header, 'If-None-Match': tag };
      const { data, response } = await read(path, { ...init, params: { ...init.params, header } });
      if (response.status !== 304) yield data;
      tag = response.headers.get('etag');
      await timing.sleep(every, init.signal ?? undefined);
    }
  }

  return { pages, records, watch } as unknown as Lists;
}

interface Page {
  readonly data: readonly unknown[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
}

/** The query of the page behind this one: the next number where pages have them, else what the link `next` says (RFC 8288). */
function nextQuery(
  query: object | undefined,
  { page, page_size, total }: Partial<Page>,
  response: Response,
): object | undefined {
  if (page !== undefined && page_size !== undefined && total !== undefined) {
    return page * page_size < total ? { ...query, page: page + 1 } : undefined;
  }
  const [, target] = /<([^<>]*)>; ?rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  return target === undefined
    ? undefined
    : Object.fromEntries(new URL(target, response.url || 'http://localhost').searchParams);
}
