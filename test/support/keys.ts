import { randomUUID } from 'node:crypto';
import type { Api, JsonBody, RequestOptions } from './api.ts';
import { type Calls, callsOf } from './tenant-calls.ts';

export const INTEGRATIONS = '/api/v1/integrations';

/** An integration with its secret and a token. */
export interface Key extends Calls {
  readonly id: string;
  /** The path of its record. */
  readonly path: string;
  readonly appCode: string;
  readonly secret: string;
}

/** An integration that `by` creates, logged in. */
export async function keyMadeBy(api: Api, by: Calls, fields: JsonBody = {}): Promise<Key> {
  const asked = { app_code: `app-${randomUUID()}`, display_name: 'Key', ...fields };
  const made = await by.create(INTEGRATIONS, asked);
  const [appCode, secret] = [String(made.app_code), String(made.secret)];
  const path = `${INTEGRATIONS}/${made.id}`;
  return { ...callsOf(api, await api.login(appCode, secret)), id: made.id, path, appCode, secret };
}

export const register = (by: Calls, fields: JsonBody = {}, options: RequestOptions = {}) =>
  by.ask('POST', INTEGRATIONS, { app_code: `app-${randomUUID()}`, display_name: 'Another', ...fields }, options);

export const rotate = (by: Calls, { path }: Pick<Key, 'path'>, body: JsonBody = {}, options: RequestOptions = {}) =>
  by.ask('POST', `${path}/rotate-secret`, body, options);

/** The status of a login. */
export const loginWith = async (api: Api, appCode: string, secret: unknown): Promise<number> =>
  (await api.request('POST', '/api/v1/auth/login', { body: { app_code: appCode, secret } })).status;
