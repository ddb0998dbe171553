import * as integrationSecrets from '#auth/integration-secrets';
import { RequestSession } from '#table';
import { readCredentials } from '#tenancy';
import { OperatorProblem } from '../problem.ts';
import { type StackOptions, stackOf } from '../stack.ts';
import { openTarget } from '../target.ts';
import { accountChecks, type StageLocation } from './account.ts';
import { logIn, lookAtDocument, lookAtTokenKeys, readOne } from './api.ts';
import { type Finding, findingsOf, Skipped } from './findings.ts';

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
