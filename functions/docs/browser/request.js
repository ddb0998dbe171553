// @ts-check

/** Text as one word of a shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** @typedef {{ method: string, url: string, headers: Record<string, string>, body?: string | undefined }} Sent */

/**
 * The command that sends a request. `$TOKEN` in a header is a variable of the shell.
 * @param {Sent} request
 */
export function curlOf({ method, url, headers, body }) {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) =>
      value.endsWith('$TOKEN') ? `-H "${name}: ${value}"` : `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ');
}

/**
 * The signature of a delivery, as the service computes it (`functions/webhooks/signature.ts`): HMAC-SHA256 of the body,
 * keyed with the secret as it is, in hex.
 * @param {string} secret @param {string} text
 */
export async function hmac(secret, text) {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
