import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contracts } from '../../../functions/all-contracts.ts';
import { HEARTBEAT } from '../../../infra/heartbeat.ts';
import { LOCAL_REGION } from '../../../local/dynamodb/client.ts';
import { startGateway } from '../../../local/gateway/gateway.ts';
import { type FakeKms, startFakeKms } from '../../auth/fake-kms.ts';
import { startFakeAccount } from '../../operator/fake-account.ts';
import { type Api, callersAt } from '../../support/api.ts';
import { type FreshTable, freshTable } from '../../support/dynamodb.ts';
import type { Line } from '../../support/lines.ts';
import { type Ran, runOperator } from '../../support/operator.ts';
import { CDK_CONTEXT, STACKS } from '../synthesize.ts';
import { type SynthesizedFunction, synthesizedFunctions } from '../synthesized.ts';
import { type Account, openAccount } from './account.ts';
import { LambdaFunction } from './functions.ts';
import { type InvokedFunction, invokedFunctions } from './invoked.ts';
import { type Deployed, deployedFrom } from './template.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The stack, synthesized as `cdk deploy` does it and running: its bundles, its roles and policies, on this machine. */
export interface RunningStack extends Pick<Api, 'request' | 'login' | 'platformToken' | 'orgToken'> {
  readonly stack: Deployed;
  /** Directory of the assembly that `cdk` would deploy. */
  readonly assembly: string;
  /** Its functions with their bundles, by their names. */
  readonly functions: ReadonlyMap<string, SynthesizedFunction>;
  /** The same functions, running. */
  readonly lambda: ReadonlyMap<string, LambdaFunction>;
  /** The first platform key. */
  readonly platform: { readonly appCode: string; readonly secret: string };
  readonly account: Account;
  /** What the functions have logged so far. */
  readonly lines: readonly Line[];
  readonly kms: FakeKms;
  /** The table behind the account, which takes anybody's requests. */
  readonly table: FreshTable;
  /** Where the gateway answers: what the output `BaseUrl` is in AWS. */
  readonly url: string;
  /** Runs the operator's command line on the stack, as somebody of the account. */
  readonly operator: (...args: string[]) => Promise<Ran>;
  /** The same, until a signal ends it. */
  readonly operatorUntil: (signal: AbortSignal | undefined, ...args: string[]) => Promise<Ran>;
  /** Arn of a function's role, by the function's name. */
  readonly roleOf: (functionName: string) => string;
  /** Environment of a function as the template has it, by the function's name. */
  readonly environmentOf: (functionName: string) => Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** What a stage has that was deployed before: its data and its keys. */
export type Predecessor = Pick<RunningStack, 'kms' | 'platform' | 'table'>;

interface DeployOptions {
  /** What the stage takes over, of a table that `context` names. Default: nothing, and a table and a platform key are made. */
  readonly before?: Predecessor;
  /** Makes the table behind the account. */
  readonly makeTable?: () => Promise<FreshTable>;
}

/** Whatever the files of `stages/` say. */
const ALWAYS = { profile: 'standard', gatewayLogRole: 'true' };

/** @param context what the stage sets (`infra/settings.ts`) */
export async function deploy(
  context: Readonly<Record<string, string>>,
  { before, makeTable = freshTable }: DeployOptions = {},
): Promise<RunningStack> {
  await using started = new AsyncDisposableStack();
  const outdir = mkdtempSync(join(tmpdir(), 'custodia-'));
  started.defer(() => rmSync(outdir, { recursive: true, force: true }));
  await run(process.execPath, ['bin/app.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ ...CDK_CONTEXT, ...ALWAYS, ...context }),
    },
  });
  const stack = deployedFrom(outdir, STACKS);
  const table = before?.table ?? (await makeTable());
  const kms = before?.kms ?? (await startFakeKms());
  if (before === undefined) started.defer(() => kms.stop());
  const account = await openAccount(stack, table.endpoint, kms.endpoint);
  started.defer(() => account.close());

  const surroundings = await startFakeAccount(STACK);
  started.defer(() => surroundings.stop());
  const endpoints = {
    AWS_REGION: LOCAL_REGION,
    AWS_ENDPOINT_URL_STS: account.stsEndpoint,
    AWS_ENDPOINT_URL_DYNAMODB: account.dynamoDbEndpoint,
    AWS_ENDPOINT_URL_KMS: account.kmsEndpoint,
  };
  // The heartbeat calls the API, and is called by a schedule.
  const functions = new Map([...synthesizedFunctions(outdir)].filter(([name]) => !name.endsWith(HEARTBEAT)));
  const invoked = invokedFunctions(stack);
  const environmentOf = (name: string) => ({
    ...named(invoked, name).Environment.Variables,
    ...(before === undefined ? { TABLE_NAME: table.tableName } : {}),
  });
  const lambda = new Map(
    Array.from(functions, ([name, { assetPath }]) => {
      const { Handler, Timeout, MemorySize, Role } = named(invoked, name);
      const configuration = {
        name: `${STACK}-${name}`,
        taskRoot: assetPath,
        handler: Handler,
        timeoutMs: Timeout * 1000,
        memoryMb: MemorySize,
        environment: {
          ...environmentOf(name),
          ...endpoints,
          ...account.credentialsOf({ roleArn: Role, tags: {} }),
        },
      };
      return [name, new LambdaFunction(configuration)] as const;
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
  const told = { ...ofData, ...(before === undefined ? { TableName: table.tableName } : {}) };
  writeFileSync(outputs, JSON.stringify({ 'api-gateway-log-role': {}, [data]: told, ...others }));
  const somebody = account.credentialsOf({ roleArn: OPERATOR, tags: {} });
  const operatorUntil = (signal: AbortSignal | undefined, ...args: string[]) =>
    runOperator(
      [...args, '--outputs', outputs],
      { ...surroundings.variables, ...endpoints, ...somebody },
      { alone: true, ...(signal && { signal }) },
    );
  const operator = (...args: string[]) => operatorUntil(undefined, ...args);
  const platform = before?.platform ?? (await makePlatformKey(operator));
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
    roleOf: (name) => named(invoked, name).Role,
    environmentOf,
    close: () => all.disposeAsync(),
  };
}

const STACK = 'custodia-dev';

/** Somebody of the account who may assume any role that lets the account in. */
export const OPERATOR = 'arn:aws:iam::111122223333:user/somebody';

function named(invoked: ReadonlyMap<string, InvokedFunction>, name: string): InvokedFunction {
  const found = invoked.get(`${STACK}-${name}`);
  if (found === undefined) throw new Error(`the API calls no function ${name}`);
  return found;
}

/** The lines of a log that are objects, as far as they are complete. */
const linesIn = (log: string): Line[] =>
  log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

/** As the README says it, with the operator's command line. */
async function makePlatformKey(operator: RunningStack['operator']) {
  const { stdout, stderr } = await operator('create-platform-key', '--app-code', 'ops');
  if (stdout === '') throw new Error(stderr);
  const { app_code: appCode, secret } = JSON.parse(stdout) as { app_code: string; secret: string };
  return { appCode, secret };
}
