import { OperatorProblem } from '../problem.ts';

/** Calls the API of a stage as an outside caller does. */

const TIMEOUT_MS = 15_000;

interface ApiResponse {
  readonly status: number;
  /** Undefined where the body is not JSON. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** @throws OperatorProblem when nothing responds */
async function ask(address: string, request: RequestInit = {}): Promise<ApiResponse> {
  try {
    const response = await fetch(address, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body: unknown = await response.json().catch(() => undefined);
    return { status: response.status, body: typeof body === 'object' && body !== null ? { ...body } : undefined };
  } catch (error) {
    throw new OperatorProblem(
      `Nothing answers at ${address} (${reasonOf(error)}): look whether the address is right and the stage is ` +
        'there; for a domain of your own, whether its alias record is.',
      { cause: error },
    );
  }
}

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : message;
};

/** The refusal of an API, in one line. */
const refusalOf = ({ status, body }: ApiResponse): string =>
  [`${status}`, body?.title, body?.detail].filter((part) => part !== undefined).join(', ');

export async function lookAtDocument(base: string): Promise<string> {
  const replied = await ask(`${base}/api/v1/openapi`);
  const { version, title } = (replied.body?.info ?? {}) as { version?: string; title?: string };
  if (replied.status !== 200 || version === undefined)
    throw new Error(`${base}/api/v1/openapi answered ${refusalOf(replied)}`);
  return `${title} ${version} answers at ${base}`;
}

export async function lookAtTokenKeys(base: string): Promise<string> {
  const replied = await ask(`${base}/.well-known/jwks.json`);
  const { keys } = (replied.body ?? {}) as { keys?: readonly unknown[] };
  if (replied.status !== 200 || keys === undefined || keys.length === 0)
    throw new Error(`${base}/.well-known/jwks.json answered ${refusalOf(replied)}`);
  return `${keys.length} published`;
}

/** @returns a token */
export async function logIn(base: string, appCode: string, secret: string): Promise<string> {
  const replied = await ask(`${base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ app_code: appCode, secret }),
  });
  const token = replied.body?.access_token;
  if (replied.status === 200 && typeof token === 'string') return token;
  if (replied.status === 401) {
    throw new OperatorProblem(
      `${appCode} is refused: it is no key of this stage, is inactive, or has another secret. custodia ` +
        'platform-keys list shows the keys, rotate gives one a new secret.',
    );
  }
  throw new Error(`The login answered ${refusalOf(replied)}`);
}

/** Reads a list through the API: the platform's organizations, or an organization's clients. */
export async function readOne(base: string, token: string): Promise<string> {
  const read = (path: string) =>
    ask(`${base}/api/v1/${path}?page_size=1`, { headers: { Authorization: `Bearer ${token}` } });
  const organizations = await read('orgs');
  const isOfOrganization = organizations.status === 403;
  const replied = isOfOrganization ? await read('clients') : organizations;
  const { total } = (replied.body ?? {}) as { total?: number };
  if (replied.status !== 200 || total === undefined) throw new Error(`A list answered ${refusalOf(replied)}`);
  return isOfOrganization ? `${total} clients of the key’s organization` : `${total} organizations`;
}
