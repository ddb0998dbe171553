import { bracketed, partsOf, type SampleData } from './text.ts';

/** Calls of httpx, whose `httpx.Client` is `custodia`. */

export const PYTHON_SETUP = `import httpx

api = "http://127.0.0.1:3000"
app_code = "acme-billing"
secret = "cst_…"`;

const LOGIN = `custodia = httpx.Client(base_url=api)
response = custodia.post(
    "/api/v1/auth/login",
    json={"app_code": app_code, "secret": secret},
)
response.raise_for_status()
token = response.json()["access_token"]
custodia.headers["Authorization"] = f"Bearer {token}"`;

export function pythonOf(request: SampleData): string {
  if (request.operationId === 'login') return LOGIN;
  const { method, path, query, auth, body, isIdempotent, returns } = request;
  const isSigned = auth === 'signature';
  const headers = [
    ...Object.entries(request.headers).map(([name, value]) => `${JSON.stringify(name)}: ${literalOf(value)}`),
    ...(isIdempotent ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
    ...(isSigned
      ? ['"Content-Type": "application/json"', '"X-Signature": signature', '"X-Event-ID": str(uuid.uuid4())']
      : []),
  ];
  const given = [
    addressOf(path),
    ...(Object.keys(query).length === 0 ? [] : [`params=${literalOf(query)}`]),
    ...(headers.length === 0 ? [] : [`headers=${bracketed(['{', '}'], headers, { indent: '    ', step: STEP })}`]),
    ...(body === undefined ? [] : [isSigned ? 'content=body' : `json=${literalOf(body, '    ')}`]),
  ];
  const imports = [...(isSigned ? ['hmac', 'json'] : []), ...(isIdempotent || isSigned ? ['uuid'] : [])];
  return [
    ...imports.map((name) => `import ${name}`),
    ...(imports.length === 0 ? [] : ['']),
    ...(isSigned ? signing(body) : []),
    `response = custodia.${method.toLowerCase()}${bracketed(['(', ')'], given, { step: STEP })}`,
    'response.raise_for_status()',
    ...(returns === 'json' ? ['print(response.json())'] : []),
  ].join('\n');
}

const signing = (body: unknown): string[] => [
  `body = json.dumps(${literalOf(body)})`,
  'signature = hmac.new(secret.encode(), body.encode(), "sha256").hexdigest()',
];

const addressOf = (path: string): string => {
  const parts = partsOf(path);
  const text = parts.map((part) => ('text' in part ? part.text : `{${part.variable}}`)).join('');
  return `${parts.some((part) => 'variable' in part) ? 'f' : ''}"${text}"`;
};

const STEP = '    ';

/** As Black formats it. */
function literalOf(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') {
    const [only, ...others] = partsOf(value);
    return others.length === 0 && only !== undefined && 'variable' in only ? only.variable : JSON.stringify(value);
  }
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) => {
    const literal = literalOf(member, `${indent}${STEP}`);
    return isList ? literal : `${JSON.stringify(name)}: ${literal}`;
  });
  return bracketed(isList ? ['[', ']'] : ['{', '}'], members, { indent, step: STEP });
}
