import { RequestSession } from '#table';
import { readCredentials } from '#tenancy';
import * as integrationSecrets from '../../functions/integrations/secrets.ts';
import { OperatorProblem } from '../problem.ts';
import { openTarget, type StackOptions, stackOf } from '../target.ts';
import { accountChecks, type Finding, findingsOf, Skipped, type StageLocation } from './account.ts';

export interface DoctorOptions extends StackOptions {
  readonly url?: string;
  readonly appCode?: string;
  /** Checks only the account and region, as before a first deployment. */
  readonly account?: true;
  /**
   * Uses only the caller's own credentials, and skips the table and the key of secrets, which need the operator's role.
   */
  readonly withoutRole?: true;
}

/** Deadline of a read. */
const TIMEOUT_MS = 10_000;

/** Reads the secret of the platform key from the environment: other users of the machine can see command lines. */
const SECRET = 'PLATFORM_SECRET';

/** Checks a stage from the outside in. Changes nothing. */
export async function doctor(options: DoctorOptions): Promise<readonly Finding[]> {
  await using opened = new AsyncDisposableStack();
  const found: StageLocation & { base?: string; token?: string } = {};
  if (options.account) return await findingsOf(accountChecks({ region: options.region }));
  const address = (): string => {
    if (found.base === undefined) throw new Skipped('no address: name --url, or --outputs that have a BaseUrl');
    return found.base;
  };
  return await findingsOf([
    {
      name: 'outputs',
      look: async () => {
        const { table, baseUrl, region } = await stackOf(options, 'OperatorRoleArn');
        found.region = region;
        const base = options.url ?? baseUrl;
        if (base !== undefined) found.base = base.replace(/\/+$/, '');
        if (table === undefined)
          throw new OperatorProblem('Name the stack with --outputs, the file that cdk deploy --outputs-file writes.');
        return `table ${table}`;
      },
      advice: 'Deploy with --outputs-file and name that file.',
    },
    // Uses the caller's own credentials, before the operator's role replaces them.
    ...accountChecks(found),
    {
      name: 'access',
      needs: ['outputs'],
      look: async () => {
        if (options.withoutRole) throw new Skipped('--without-role: table and key of secrets are not looked at');
        opened.use(await openTarget(options, 'OperatorRoleArn', { secrets: true }));
        return 'the operator role can be assumed';
      },
      advice: 'Your AWS identity must be allowed sts:AssumeRole on OperatorRoleArn, in the right account.',
    },
    {
      name: 'table',
      needs: ['access'],
      look: async () => {
        const { appCode = 'doctor' } = options;
        await readCredentials(RequestSession.ofEnvironment(TIMEOUT_MS).tables.environment, { orgId: null, appCode });
        return `${process.env.TABLE_NAME} can be read`;
      },
      advice: 'Look at the table in the AWS console: it must be active. Name another with --table.',
    },
    {
      name: 'secrets key',
      needs: ['access'],
      look: async () => {
        const owner = { tenant: 'PLATFORM', app_code: 'doctor' };
        await integrationSecrets.seal(owner, integrationSecrets.generate(), []);
        return 'encrypts for the platform';
      },
      advice: 'Without the key nobody can make integrations: it must be enabled, and not waiting for its deletion.',
    },
    {
      name: 'API',
      look: () => lookAtDocument(address()),
      advice: 'The access log of the gateway says why; docs/operations.md what its alarms mean.',
    },
    {
      name: 'token keys',
      needs: ['API'],
      look: () => lookAtTokenKeys(address()),
      advice:
        'No token can be checked: read the log of the function well-known, and look at the keys that sign in KMS.',
    },
    {
      name: 'log in',
      needs: ['API'],
      look: async () => {
        const { appCode } = options;
        const secret = process.env[SECRET];
        if (appCode === undefined || !secret)
          throw new Skipped(`no key given: name --app-code, and set ${SECRET} to its secret`);
        found.token = await logIn(address(), appCode, secret);
        return `${appCode} gets a token`;
      },
      advice: 'Read the log of the function auth.',
    },
    {
      name: 'read',
      needs: ['log in'],
      look: () => readOne(address(), found.token ?? ''),
      advice: 'Read the logs of the functions authorizer and orgs, by the request id of the access log.',
    },
  ]);
}

/** Calls the API of a stage as an outside caller does. */

const TIMEOUT_OF_API_MS = 15_000;

interface ApiResponse {
  readonly status: number;
  /** Undefined where the body is not JSON. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** @throws OperatorProblem when nothing responds */
async function ask(address: string, request: RequestInit = {}): Promise<ApiResponse> {
  try {
    const response = await fetch(address, { ...request, signal: AbortSignal.timeout(TIMEOUT_OF_API_MS) });
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
