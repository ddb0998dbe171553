import { type OutboundOptions, type OutboundResponse, outbound } from '#outbound';
import { isSame } from '../endpoints/proof.ts';
import type { Outcome, Send } from './ports.ts';

/** For a call, in milliseconds. */
const TIMEOUT = 10_000;

/** Sends deliveries. The body of a response is at most compared; it leaves this function never. */
export function sendWith(options: Omit<OutboundOptions, 'timeout'>): Send {
  const send = outbound({ ...options, timeout: TIMEOUT });
  return async ({ url, headers, body, expects }) => {
    const outcome = await send({
      method: 'POST',
      url,
      headers: { 'user-agent': 'Custodia-Webhooks', ...headers },
      body,
      readsBody: expects !== undefined,
    });
    return 'error' in outcome ? outcome : outcomeOf(outcome, expects);
  };
}

function outcomeOf({ status, headers, body }: OutboundResponse, expects: readonly string[] | undefined): Outcome {
  const seconds = retryAfter(headers);
  return {
    status,
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    ...(expects && body !== undefined && { isExpected: expects.some((expected) => isSame(expected, body)) }),
  };
}

/** Seconds of `Retry-After` (RFC 9110 §10.2.3). A date counts from the response's own, whatever time it is here. */
function retryAfter({ 'retry-after': text = '', date = '' }: OutboundResponse['headers']): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!/^[A-Z][a-z]{2}, .* GMT$/.test(text)) return undefined;
  const seconds = Math.ceil((Date.parse(text) - Date.parse(date)) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
