import { vi } from 'vitest';
import type { Api, ApiResponse, JsonBody, RequestOptions } from '../support/api.ts';

/** A record in a response. */
export type Responded = JsonBody & { readonly id: string };
type Options = Omit<RequestOptions, 'token' | 'body'>;

/** Frequent steps of tests of clients, services and resources, as one caller. */
export interface ApiDriver {
  readonly get: (path: string, options?: Options) => Promise<ApiResponse>;
  readonly post: (path: string, body: unknown, options?: Options) => Promise<ApiResponse>;
  readonly put: (path: string, body: unknown, options?: Options) => Promise<ApiResponse>;
  readonly patch: (path: string, body: unknown, options?: Options) => Promise<ApiResponse>;
  readonly remove: (path: string, options?: Options) => Promise<ApiResponse>;
  /** Creates a record; it must succeed. */
  readonly create: (path: string, fields: JsonBody) => Promise<Responded>;
  readonly client: (fields?: JsonBody) => Promise<Responded>;
  readonly service: (fields: JsonBody) => Promise<Responded>;
  readonly resource: (fields: JsonBody) => Promise<Responded>;
  /** The records of a list's page, which must return 200. */
  readonly list: (path: string) => Promise<{ readonly ids: readonly unknown[]; readonly total: unknown }>;
}

export function apiDriverOf(api: Api, token: string): ApiDriver {
  const send = (method: string, path: string, options: RequestOptions = {}) =>
    api.request(method, `/api/v1${path}`, { token, ...options });
  const create = async (path: string, fields: JsonBody): Promise<Responded> => {
    const { status, body } = await send('POST', path, { body: fields });
    if (status !== 201) throw new Error(`POST ${path} answered ${status} ${JSON.stringify(body)}`);
    return body as Responded;
  };
  return {
    get: (path, options) => send('GET', path, options),
    post: (path, body, options) => send('POST', path, { body, ...options }),
    put: (path, body, options) => send('PUT', path, { body, ...options }),
    patch: (path, body, options) => send('PATCH', path, { body, ...options }),
    remove: (path, options) => send('DELETE', path, options),
    create,
    client: (fields = {}) => create('/clients', { name: 'Acme', ...fields }),
    service: (fields) => create('/services', { name: 'Shop', type: 'web', ...fields }),
    resource: (fields) => create('/resources', { name: 'Web 1', type: 'vm', ...fields }),
    list: async (path) => {
      const { status, body } = await send('GET', path);
      if (status !== 200) throw new Error(`GET ${path} answered ${status} ${JSON.stringify(body)}`);
      const { data, total } = body as { data: Responded[]; total: unknown };
      return { ids: data.map(({ id }) => id), total };
    },
  };
}

/** Where a problem's field errors point, in order of the alphabet. */
export const pointersOf = ({ body }: ApiResponse): string[] =>
  [...new Set(((body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer))].toSorted();

/** A response without what differs from request to request. */
export const withoutRequestId = ({ status, body }: ApiResponse) => ({ status, body: { ...body, request_id: '' } });

/** A UUID that names nothing. */
export const NOWHERE = '87d6100d-2b60-4000-8000-000000000000';

/** Sets the clock of the service, until the test calls `vi.useRealTimers()`. */
export function later(minutes: number): string {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });
  return new Date().toISOString();
}
