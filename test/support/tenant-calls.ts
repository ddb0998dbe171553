import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Api, ApiResponse, JsonBody, RequestOptions } from './api.ts';

/** A body with typed access to the usual parts: a list's records, a problem's field errors. */
export type ResponseBody = JsonBody & { readonly data: JsonBody[]; readonly errors?: JsonBody[] };
export type Created = JsonBody & { readonly id: string };

/** The API as one caller uses it. */
export interface Calls {
  readonly token: string;
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ) => Promise<ApiResponse<ResponseBody>>;
  /** Creates a record, which must succeed. */
  readonly create: (path: string, body: JsonBody) => Promise<Created>;
  /** Reads a record or list, which must succeed. */
  readonly read: (path: string) => Promise<ResponseBody>;
}

export function callsOf(api: Api, token: string): Calls {
  const ask: Calls['ask'] = (method, path, body, options = {}) =>
    api.request<ResponseBody>(method, path, { token, ...(body === undefined ? {} : { body }), ...options });
  const expecting = async (status: number, response: Promise<ApiResponse<ResponseBody>>): Promise<ResponseBody> => {
    const { status: given, body } = await response;
    if (given !== status) throw new Error(`answered ${given} instead of ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    token,
    ask,
    create: async (path, body) => (await expecting(201, ask('POST', path, body))) as ResponseBody & Created,
    read: (path) => expecting(200, ask('GET', path)),
  };
}

/** The API as an integration of a new organization uses it. */
export const newTenant = async (api: Api): Promise<Calls & { readonly orgId: string }> => {
  const { token, orgId } = await api.orgToken();
  return { ...callsOf(api, token), orgId };
};

/** The field errors of a problem with one field of the body. */
export const pointsAt = (field: string) => [expect.objectContaining({ in: 'body', pointer: `#/${field}` })];

/** Sends the same request for two ids: the responses must be the same except for the request id. */
export async function expectNoDifference(
  status: number,
  attempt: (id: string) => Promise<ApiResponse<ResponseBody>>,
  anotherTenantsId: string,
): Promise<void> {
  const [anotherTenants, missing] = [await attempt(anotherTenantsId), await attempt(randomUUID())];
  const expected = { ...missing.body, request_id: expect.any(String) };
  expect([anotherTenants.status, anotherTenants.body]).toEqual([status, expected]);
}
