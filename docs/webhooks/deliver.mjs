// Delivers one event. Needs Node 20 or later, and BASE_URL, APP_CODE, SECRET in the environment.
import { createHmac, randomUUID } from 'node:crypto';

const { BASE_URL, APP_CODE, SECRET, EVENT_ID } = process.env;
const event = { event_type: 'invoice.paid', data: { number: '2026/117', customer: 'Ação Lda', total: 1249.9 } };
const body = JSON.stringify(event); // serialized once: this text is signed, and this is sent

const response = await fetch(`${BASE_URL}/api/v1/webhooks/${APP_CODE}`, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    'X-Signature': createHmac('sha256', SECRET).update(body).digest('hex'),
    'X-Event-ID': EVENT_ID ?? randomUUID(),
    'X-Timestamp': new Date().toISOString(),
  },
  body,
  signal: AbortSignal.timeout(30_000),
});
process.stdout.write(`${await response.text()}\n${response.status}\n`);
