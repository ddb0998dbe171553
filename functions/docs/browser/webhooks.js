// @ts-check

import { curlOf, hmac } from './request.js';

/** Signs and checks deliveries. */

const form = /** @type {HTMLFormElement} */ (document.querySelector('#delivery'));
const verdict = /** @type {HTMLElement} */ (document.querySelector('#verdict'));
const signed = /** @type {HTMLElement} */ (document.querySelector('#signed'));
const shownSignature = /** @type {HTMLElement} */ (document.querySelector('#signature'));
const shownRequest = /** @type {HTMLElement} */ (document.querySelector('#request'));
const api = new URL('..', location.href).href.replace(/\/$/, '');

/** @param {string} body */
function jsonIn(body) {
  try {
    return { compact: JSON.stringify(JSON.parse(body)) };
  } catch {
    return undefined;
  }
}

/** @param {Record<string, string>} fields */
async function verdictOn({ secret = '', body = '', signature = '' }) {
  const right = await hmac(secret, body);
  const value = jsonIn(body);
  const invalid = value === undefined ? ' The body is not JSON, so the delivery would be refused all the same.' : '';
  if (signature === '') return { text: `Signed.${invalid}`, isWrong: invalid !== '' };
  if (!/^[\da-f]{64}$/i.test(signature))
    return { text: 'The signature to check does not have 64 hex digits.', isWrong: true };
  if (signature.toLowerCase() === right) return { text: `The signature is right.${invalid}`, isWrong: invalid !== '' };
  if (value !== undefined && signature.toLowerCase() === (await hmac(secret, value.compact)))
    return {
      text:
        'The signature is that of the same value in compact JSON. It is accepted, but do not rely on it: ' +
        'sign the bytes that you send.',
      isWrong: false,
    };
  return { text: 'The signature is wrong: it was made with another secret, or over another body.', isWrong: true };
}

async function update() {
  const fields = /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form)));
  // Forms submit line breaks as CR LF; this shows the signed bytes.
  const body = (fields.body ?? '').replaceAll('\r\n', '\n');
  const { secret = '', app_code = '', event_id = '', timestamp = '' } = fields;
  signed.hidden = secret === '';
  verdict.classList.remove('wrong');
  if (secret === '') {
    verdict.textContent = 'Enter a secret.';
    return;
  }
  const { text, isWrong } = await verdictOn({ secret, body, signature: (fields.signature ?? '').trim() });
  const signature = await hmac(secret, body);
  verdict.textContent = text;
  verdict.classList.toggle('wrong', isWrong);
  shownSignature.textContent = signature;
  shownRequest.textContent = curlOf({
    method: 'POST',
    url: `${api}/webhooks/${encodeURIComponent(app_code)}`,
    headers: {
      'Content-Type': 'application/json',
      'X-Signature': signature,
      'X-Event-ID': event_id,
      ...(timestamp === '' ? {} : { 'X-Timestamp': timestamp }),
    },
    body,
  });
}

/** The latest input wins, however long an earlier one takes. */
let work = Promise.resolve();
form.addEventListener('input', () => {
  work = work.then(update);
});
form.addEventListener('submit', (event) => event.preventDefault());

const timestamp = /** @type {HTMLInputElement} */ (form.elements.namedItem('timestamp'));
timestamp.value = new Date().toISOString();
