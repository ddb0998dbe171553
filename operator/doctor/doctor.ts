import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as integrationSecrets from '#auth/integration-secrets';
import { RequestSession } from '#table';
import { readCredentials } from '#tenancy';
import { LOCAL_TABLE, readSettings } from '../../local/settings.ts';
import { OperatorProblem } from '../problem.ts';
import { stackOf } from '../stack.ts';
import { openTarget, type TargetOptions } from '../target.ts';
import { accountChecks, type StageLocation } from './account.ts';
import { logIn, lookAtDocument, lookAtTokenKeys, readOne } from './api.ts';
import { type Check, type Finding, findingsOf, Skipped } from './findings.ts';

export interface DoctorOptions extends TargetOptions {
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

/** Checks a stage, or the data of `npm start`, from the outside in. Changes nothing. */
export async function doctor(options: DoctorOptions): Promise<readonly Finding[]> {
  await using opened = new AsyncDisposableStack();
  const found: Found & { token?: string } = {};
  if (options.account) return await findingsOf(accountChecks({ region: options.region }));
  const address = (): string => {
    if (found.base === undefined) throw new Skipped('no address: name --url, or --outputs that have a BaseUrl');
    return found.base;
  };
  return await findingsOf([
    ...(options.local ? localData(options, found, opened) : stage(options, found, opened)),
    {
      name: 'table',
      needs: ['access'],
      look: async () => {
        const { appCode = 'doctor' } = keyOf(options) ?? {};
        await readCredentials(RequestSession.ofEnvironment(TIMEOUT_MS).tables.environment, { orgId: null, appCode });
        return `${process.env.TABLE_NAME} can be read`;
      },
      advice: options.local
        ? 'npm start makes it.'
        : 'Look at the table in the AWS console: it must be active. Name another with --table.',
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
        const key = await secretOf(options);
        found.token = await logIn(address(), key.appCode, key.secret);
        return `${key.appCode} gets a token`;
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

type Found = StageLocation & { base?: string };

function stage(options: DoctorOptions, found: Found, opened: AsyncDisposableStack): readonly Check[] {
  return [
    {
      name: 'outputs',
      look: async () => {
        const { table, baseUrl, region, name } = await stackOf(options, 'OperatorRoleArn');
        Object.assign(found, { region, stack: name });
        const base = options.url ?? baseUrl;
        if (base !== undefined) found.base = withoutSlash(base);
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
  ];
}

function localData(options: DoctorOptions, found: Found, opened: AsyncDisposableStack): readonly Check[] {
  return [
    {
      name: 'access',
      look: async () => {
        const { port, host } = readSettings(process.env);
        found.base = withoutSlash(options.url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
        opened.use(await openTarget(options, 'OperatorRoleArn'));
        return `DynamoDB at ${process.env.DYNAMODB_ENDPOINT}, table ${LOCAL_TABLE}`;
      },
      advice: 'Run npm start once, or set DATA_DIR to its data directory.',
    },
  ];
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '');

/** The app code to log in with. That of `npm start` is known. */
const keyOf = ({ appCode, local }: DoctorOptions) =>
  appCode === undefined ? (local ? { appCode: 'platform' } : undefined) : { appCode };

async function secretOf(options: DoctorOptions): Promise<{ appCode: string; secret: string }> {
  const key = keyOf(options);
  const secret = process.env[SECRET] || (options.local ? await keptSecret() : undefined);
  if (key === undefined || secret === undefined) {
    throw new Skipped(`no key given: name --app-code, and set ${SECRET} to its secret`);
  }
  return { ...key, secret };
}

/** The secret that `npm start` has made. */
async function keptSecret(): Promise<string | undefined> {
  const file = join(readSettings(process.env).dataDir, 'platform-secret');
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}
