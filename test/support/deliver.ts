import { randomUUID } from 'node:crypto';
import { sign } from '../../functions/webhooks/signature.ts';
import type { Api, ApiResponse, OrgAccess } from './api.ts';

export interface DeliveryOptions {
  readonly eventId?: string;
  readonly signature?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Delivers an event as a partner would: the body signed with the integration's secret. */
export function deliver(
  api: Pick<Api, 'request'>,
  { appCode, secret }: Pick<OrgAccess, 'appCode' | 'secret'>,
  body: unknown,
  { eventId = randomUUID(), signature, headers = {} }: DeliveryOptions = {},
): Promise<ApiResponse> {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  return api.request('POST', `/api/v1/webhooks/${appCode}`, {
    raw,
    headers: {
      'content-type': 'application/json',
      'x-signature': signature ?? sign(raw, secret),
      'x-event-id': eventId,
      ...headers,
    },
  });
}
