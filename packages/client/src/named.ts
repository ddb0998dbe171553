import { CALLS, type Calls } from './calls.ts';
import type { Lists, WatchOptions } from './lists.ts';
import { SecretNotShownError } from './secret.ts';
import type { ApiResponse } from './types.ts';

/** The readable names of the operations: a loop over the table of `calls.ts`. */

const tags = new WeakMap<object, string>();

/**
 * The `ETag` with which a record was read, created or changed by its readable name, for `ifMatch`.
 * @throws TypeError where it has none, such as a record of a list: a change would then be made whatever came between
 */
export function etagOf(record: object): string {
  const tag = tags.get(record);
  if (tag === undefined) throw new TypeError('This record has no ETag. Those of lists have none: read it by itself');
  return tag;
}

type Send = (method: string, path: string, init: object) => Promise<ApiResponse<unknown>>;

interface AnyOptions {
  readonly query?: object;
  readonly headers?: object;
  readonly signal?: AbortSignal;
  readonly ifMatch?: string | null;
}

export function namedCalls(send: Send, lists: Lists): Calls {
  return mapped(CALLS, (group) => mapped(group, (operation, name) => callOf(operation, name, send, lists))) as never;
}

function callOf(operation: string, name: string, send: Send, { pages, records, watch }: Lists) {
  const [method = '', path = ''] = operation.split(' ');
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter);

  return (...given: unknown[]) => {
    const ids = Object.fromEntries(names.map((parameter) => [parameter, given.shift()]));
    const sent = method === 'delete' ? undefined : given.shift();
    const { query, headers, signal, ...others } = (given[0] ?? {}) as AnyOptions;
    const header = Object.fromEntries(Object.entries(others).map(([key, value]) => [headerOf(key), value]));
    const isRead = method === 'get';
    const params = { query: { ...query, ...(isRead && (sent as object)) }, path: ids, header };
    const init = { params, headers, signal, ...(!isRead && { body: sent }) };
    const one = async () => {
      // Without a tag the change would be made whatever came between.
      if ('ifMatch' in others && !others.ifMatch)
        throw new TypeError('ifMatch is empty: leave it out, or name an ETag');
      const { data, response } = await send(method, path, init);
      return noted(method, data, response);
    };
    if (!/^list(?![a-z])/.test(name)) return one();
    const target = [path, init] as never as [never];
    return {
      [Symbol.asyncIterator]: () => records(...target),
      page: one,
      pages: () => pages(...target),
      watch: (options: WatchOptions) => watch(path as never, { ...init, ...options } as never),
    };
  };
}

/** Keeps the tag of a record, and refuses one whose secret was shown before. */
function noted(method: string, data: unknown, response: Response): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const record = data as { readonly id: string; readonly secret?: unknown };
  if (method === 'post' && record.secret === null) throw new SecretNotShownError(record.id);
  const tag = response.headers.get('etag');
  if (tag !== null) tags.set(data, tag);
  return data;
}

/** `If-Match` of `ifMatch`. */
const headerOf = (option: string): string => option.replace(/[A-Z]/g, '-$&');

const mapped = <T, R>(object: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
