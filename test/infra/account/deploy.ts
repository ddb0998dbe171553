import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localConnection } from '#local-dynamodb';
import { contracts } from '../../../functions/all-contracts.ts';
import { makeApp } from '../../../infra/app.ts';
import { startGateway } from '../../../local/gateway/gateway.ts';
import { startObjectStore } from '../../../local/objects/index.ts';
import { type FakeKms, startFakeKms } from '../../auth/fake-kms.ts';
import { startFakeAccount } from '../../operator/fake-account.ts';
import { type Api, callersAt } from '../../support/api.ts';
import { type FreshTable, freshTable } from '../../support/dynamodb.ts';
import type { Line } from '../../support/lines.ts';
import { type Ran, runOperator } from '../../support/operator.ts';
import { CDK_CONTEXT, STACKS } from '../synthesize.ts';
import { type Account, openAccount } from './account.ts';
import { type DeployedFunction, functionsOf, LambdaFunction } from './functions.ts';
import { type Deployed, deployedFrom } from './template.ts';

/** The stack, synthesized as `cdk deploy` does it and running: its bundles, its roles and policies, on this machine. */
export interface RunningStack extends Pick<Api, 'request' | 'login' | 'platformToken' | 'orgToken'> {
  readonly stack: Deployed;
  /** Directory of the assembly that `cdk` would deploy. */
  readonly assembly: string;
  /** Its functions with their bundles, by their names. */
  readonly functions: ReadonlyMap<string, DeployedFunction>;
  /** The same functions, running. */
  readonly lambda: ReadonlyMap<string, LambdaFunction>;
  /** The first platform key. */
  readonly platform: { readonly appCode: string; readonly secret: string };
  readonly account: Account;
  /** The functions' log lines so far. */
  readonly lines: readonly Line[];
  readonly kms: FakeKms;
  /** The table behind the account, which takes anybody's requests. */
  readonly table: FreshTable;
  /** The gateway's address: the output `BaseUrl` in AWS. */
  readonly url: string;
  /** Runs the operator's command line on the stack, as somebody of the account. */
  readonly operator: (...args: string[]) => Promise<Ran>;
  /** The same, until a signal ends it. */
  readonly operatorUntil: (signal: AbortSignal | undefined, ...args: string[]) => Promise<Ran>;
  readonly close: () => Promise<void>;
}

/** Whatever the files of `stages/` say. */
const ALWAYS = { profile: 'standard', gatewayLogRole: 'true' };

/**
 * @param context what the stage sets (`infra/settings.ts`)
 * @param makeTable makes the table behind the account
 */
export async function deploy(
  context: Readonly<Record<string, string>>,
  makeTable: () => Promise<FreshTable> = freshTable,
): Promise<RunningStack> {
  await using started = new AsyncDisposableStack();
  const outdir = mkdtempSync(join(tmpdir(), 'custodia-'));
  started.defer(() => rmSync(outdir, { recursive: true, force: true }));
  // That CloudFormation takes the templates, `nag.stack.test.ts` asks.
  const app = await makeApp({
    outdir,
    context: { ...CDK_CONTEXT, ...ALWAYS, ...context },
    builtinCloudFormationValidation: false,
  });
  app.synth();
  const stack = deployedFrom(outdir, STACKS);
  const table = await makeTable();
  const kms = await startFakeKms();
  started.defer(() => kms.stop());
  const account = await openAccount(stack, table.endpoint, kms.endpoint);
  started.defer(() => account.close());

  const { secretOf } = account;
  const objects = await startObjectStore({ directory: join(outdir, 'objects'), secretOf });
  started.use(objects);

  const surroundings = await startFakeAccount();
  started.defer(() => surroundings.stop());
  const endpoints = {
    AWS_REGION: localConnection().region,
    AWS_ENDPOINT_URL_STS: account.stsEndpoint,
    AWS_ENDPOINT_URL_DYNAMODB: account.dynamoDbEndpoint,
    AWS_ENDPOINT_URL_KMS: account.kmsEndpoint,
    AWS_ENDPOINT_URL_SQS: account.sqsEndpoint,
    // Receivers of deliveries are on this machine, too.
    EVENT_TARGETS: 'loopback',
  };
  const functions = new Map(
    Array.from(functionsOf(stack, outdir), ([name, each]) => {
      const { ATTACHMENTS_URL: bucket } = each.environment;
      const ofBucket = bucket === undefined ? {} : { ATTACHMENTS_URL: objects.url };
      const environment = { ...each.environment, ...ofBucket, TABLE_NAME: table.tableName };
      return [name, { ...each, environment }] as const;
    }),
  );
  const lambda = new Map(
    Array.from(functions, ([name, each]) => {
      const credentials = account.credentialsOf({ roleArn: each.role, tags: {} });
      return [
        name,
        new LambdaFunction({ ...each, environment: { ...each.environment, ...endpoints, ...credentials } }),
      ];
    }),
  );
  started.defer(async () => void (await Promise.all(Array.from(lambda.values(), (each) => each.stop()))));
  const gateway = await startGateway({
    contracts,
    stage: 'dev',
    firstKey: context.firstKey === 'true',
    loadFunction: async (name) => {
      const found = lambda.get(name);
      if (found === undefined) throw new Error(`the stack has no function ${name}`);
      return found.handler;
    },
  });
  started.defer(() => gateway.close());

  const outputs = join(outdir, 'outputs.json');
  // `cdk` names every stack that it deployed, those without outputs too.
  const [data = ''] = STACKS;
  const { [data]: ofData, ...others } = stack.outputsByStack;
  const told = { ...ofData, TableName: table.tableName, AttachmentsUrl: objects.url };
  writeFileSync(outputs, JSON.stringify({ 'api-gateway-log-role': {}, [data]: told, ...others }));
  const somebody = account.credentialsOf({ roleArn: OPERATOR, tags: {} });
  const operatorUntil = (signal: AbortSignal | undefined, ...args: string[]) =>
    runOperator(
      [...args, '--outputs', outputs],
      { ...surroundings.variables, ...endpoints, ...somebody },
      { alone: true, ...(signal && { signal }) },
    );
  const operator = (...args: string[]) => operatorUntil(undefined, ...args);
  const platform = await makePlatformKey(operator);
  account.forget();
  const all = started.move();
  return {
    ...callersAt(gateway.url, platform),
    url: gateway.url,
    stack,
    assembly: outdir,
    functions,
    lambda,
    platform,
    account,
    get lines() {
      return [...lambda.values()].flatMap(({ log }) => linesIn(log));
    },
    kms,
    table,
    operator,
    operatorUntil,
    close: () => all.disposeAsync(),
  };
}

/** Somebody of the account who may assume any role that lets the account in. */
export const OPERATOR = 'arn:aws:iam::111122223333:user/somebody';

/** The lines of a log that are objects, as far as they are complete. */
const linesIn = (log: string): Line[] =>
  log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

/** As `docs/deployment.md` says, with the operator's command line. */
async function makePlatformKey(operator: RunningStack['operator']) {
  const { stdout, stderr } = await operator('create-platform-key', '--app-code', 'ops');
  if (stdout === '') throw new Error(stderr);
  const { app_code: appCode, secret } = JSON.parse(stdout) as { app_code: string; secret: string };
  return { appCode, secret };
}
