import { CustodiaProblem } from './problem.ts';
import type { WebhookDelivery, WebhookReceipt } from './schema.ts';
import type { Timing } from './timing.ts';
import type { Credentials } from './token.ts';
import type { Call } from './types.ts';
import { signWebhook } from './webhook.ts';

export interface SendWebhookOptions {
  /** The integration that sends, with the secret that signs: those of the client's credentials unless told. */
  readonly appCode?: string;
  readonly secret?: string;
  /**
   * Your own id of the event, which is processed once. Keep it with the event before you send it, so that your program can send
   * it again after a restart; a random one unless told, which covers the attempts of this call.
   */
  readonly eventId?: string;
  /** `X-Timestamp`: now unless told. */
  readonly timestamp?: string;
  readonly signal?: AbortSignal;
}

export interface DeliveredWebhook {
  readonly eventId: string;
  /** Undefined where the event was processed before. */
  readonly receipt: WebhookReceipt | undefined;
}

/** Delivers events to `/webhooks/{app_code}`, each signed as the text that is sent. */
export const sendWebhookWith =
  (POST: Call<'post'>, credentials: Credentials | undefined, timing: Timing) =>
  async (event: WebhookDelivery, options: SendWebhookOptions = {}): Promise<DeliveredWebhook> => {
    const own = credentials !== undefined && 'appCode' in credentials ? credentials : undefined;
    const { appCode = own?.appCode, secret = own?.secret, eventId = timing.newKey(), signal } = options;
    const { timestamp = new Date(timing.now()).toISOString() } = options;
    if (!appCode || !secret) throw new TypeError('Webhooks are signed: name appCode and secret');

    const text = JSON.stringify(event);
    const header = { 'X-Event-ID': eventId, 'X-Timestamp': timestamp };
    const init = {
      params: { path: { app_code: appCode }, header },
      headers: { 'X-Signature': await signWebhook(text, secret) },
      ...{ body: event, bodySerializer: () => text, ...(signal && { signal }) },
    };
    try {
      return { eventId, receipt: (await POST('/api/v1/webhooks/{app_code}', init)).data };
    } catch (error) {
      if (error instanceof CustodiaProblem && error.is('event-already-processed'))
        return { eventId, receipt: undefined };
      throw error;
    }
  };
