import { partsOf, type SampleRequest } from './request.ts';

/** A request for bash: `$API` is the address with `/api/v1`, `$TOKEN` that of a login. */
export function curlOf(request: SampleRequest): string {
  const { method, auth, body, isIdempotent } = request;
  const isSigned = auth === 'signature';
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}"${addressOf(request)}"`,
    ...(auth === 'bearer' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(isIdempotent ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(isSigned ? ['-H "X-Signature: $SIGNATURE"', '-H "X-Event-ID: $(openssl rand -hex 16)"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...(body === undefined ? [] : [`-d ${isSigned ? '"$BODY"' : jsonOf(body)}`]),
  ];
  return [...(isSigned ? signing(body) : []), lines.join(' \\\n  ')].join('\n');
}

const signing = (body: unknown): string[] => [
  `BODY=${wordOf(JSON.stringify(body))}`,
  `SIGNATURE=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')`,
];

const addressOf = ({ path }: SampleRequest): string => {
  const address = path.startsWith('/api/v1') ? `$API${path.slice('/api/v1'.length)}` : `\${API%/api/v1}${path}`;
  return partsOf(address)
    .map((part) => ('text' in part ? part.text : `$${part.variable.toUpperCase()}`))
    .join('');
};

const jsonOf = (body: unknown): string => wordOf(JSON.stringify(body, null, 2)).replaceAll('\n', '\n  ');

/** One word of a shell, in which variables have their values. */
const wordOf = (text: string): string =>
  `'${partsOf(text)
    .map((part) => ('text' in part ? part.text.replaceAll("'", `'\\''`) : `'"$${part.variable.toUpperCase()}"'`))
    .join('')}'`;
