import { partsOf, type SampleData } from './text.ts';

/** Requests for bash: `$API` is the address with `/api/v1`, `$TOKEN` that of a login. */

export const CURL_SETUP = `API=http://127.0.0.1:3000/api/v1
APP_CODE=acme-billing
SECRET=cst_…`;

export function curlOf(request: SampleData): string {
  const { operationId, method, auth, body, isIdempotent, headers } = request;
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  const isSigned = auth === 'signature';
  const command = [
    `curl ${isImplied ? '' : `-X ${method} `}"${addressOf(request)}"`,
    ...(auth === 'bearer' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(isIdempotent ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(isSigned ? ['-H "X-Signature: $SIGNATURE"', '-H "X-Event-ID: $(openssl rand -hex 16)"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${wordOf(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...(body === undefined ? [] : [`-d ${isSigned ? '"$BODY"' : jsonOf(body)}`]),
  ].join(' \\\n  ');
  if (operationId === 'login')
    return `TOKEN=$(${command.replace('curl', 'curl -sS')} |\n  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return isSigned ? `${signing(body)}\n${command}` : command;
}

const signing = (body: unknown): string => `BODY=${wordOf(JSON.stringify(body))}
SIGNATURE=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')`;

function addressOf({ path, query }: SampleData): string {
  const address = path.startsWith('/api/v1') ? `$API${path.slice('/api/v1'.length)}` : `\${API%/api/v1}${path}`;
  const filled = partsOf(address).map((part) => ('text' in part ? part.text : variable(part)));
  const parameters = new URLSearchParams(query as Record<string, string>).toString();
  return `${filled.join('')}${parameters === '' ? '' : `?${parameters}`}`;
}

const jsonOf = (body: unknown): string => wordOf(JSON.stringify(body, null, 2)).replaceAll('\n', '\n  ');

/** One word of a shell, in which variables have their values. */
const wordOf = (text: string): string =>
  `'${partsOf(text)
    .map((part) => ('text' in part ? part.text.replaceAll("'", `'\\''`) : `'"${variable(part)}"'`))
    .join('')}'`;

const variable = ({ variable }: { readonly variable: string }): string => `$${variable.toUpperCase()}`;
