import { partsOf, type SampleRequest } from './request.ts';

/** A call of httpx, with an `httpx.Client` named `custodia` whose base address is in front of `/api/v1`. */
export function pythonOf({ method, path, auth, body, isIdempotent }: SampleRequest): string {
  const isSigned = auth === 'signature';
  const headers = [
    ...(isIdempotent ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
    ...(isSigned ? ['"X-Signature": signature', '"X-Event-ID": str(uuid.uuid4())'] : []),
    ...(isSigned ? ['"Content-Type": "application/json"'] : []),
  ];
  const given = [
    addressOf(path),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}}`]),
    ...(body === undefined ? [] : [isSigned ? 'content=body' : `json=${literalOf(body, '    ')}`]),
  ];
  const call = `custodia.${method.toLowerCase()}`;
  const sent =
    given.length === 1 ? `${call}(${given})` : `${call}(\n${given.map((each) => `    ${each},\n`).join('')})`;
  return [...(isSigned ? signing(body) : []), `response = ${sent}`, 'response.raise_for_status()'].join('\n');
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

const WIDTH = 80;

/** As Black formats it. */
function literalOf(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') {
    const [only, ...others] = partsOf(value);
    return others.length === 0 && only !== undefined && 'variable' in only ? only.variable : JSON.stringify(value);
  }
  if (typeof value !== 'object') return String(value);
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const members = Object.entries(value).map(
    ([name, member]) => `${isList ? '' : `${JSON.stringify(name)}: `}${literalOf(member, inner)}`,
  );
  const line = `${open}${members.join(', ')}${close}`;
  if (indent.length + line.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`;
}
