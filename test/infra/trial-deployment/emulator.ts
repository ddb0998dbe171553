import type { ChildProcess } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../local/dynamodb/engine.ts';
import type { Processes } from './processes.ts';
import { startTlsProxy } from './tls-proxy.ts';

/**
 * ministack (https://pypi.org/project/ministack/), an emulator of AWS that runs functions as processes of this
 * machine's Node.
 */

export const ACCOUNT = '123456789012';
export const REGION = 'eu-west-1';
const HOST = '127.0.0.1';

/** Whose calls they are: without IAM the access key names the account; with it these are the keys of its root user. */
const KEYS = {
  open: { AWS_ACCESS_KEY_ID: ACCOUNT, AWS_SECRET_ACCESS_KEY: 'test' },
  iam: { AWS_ACCESS_KEY_ID: 'AKIAROOTROOTROOTROOT', AWS_SECRET_ACCESS_KEY: 'rootsecret' },
} as const;
export type Lane = keyof typeof KEYS;

/** Installs it, as `requirements.txt` says, into a new virtual environment. @throws Error */
export async function installEmulator(processes: Processes, directory: string): Promise<void> {
  const log = 'install';
  const python = join(directory, 'bin/python');
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', directory],
    [python, ...pip, '-r', requirements],
  ] as const) {
    const { code, stderr } = await processes.run(command, args, { log });
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  }
}

/** Where it resolves `aws:PrincipalArn`, which it takes for the ARN of the session. */
const PRINCIPAL_ARN = '    if k == "aws:principalarn":\n';
/** On AWS it is the ARN of the role, with its path, by which the policies of keys and roles know who calls. */
const ARN_OF_ROLE = `        if ctx.principal_type == "AssumedRole":
            from ministack.services import iam as _iam
            _role = _iam._roles.get_scoped(ctx.principal_account, None, _role_name_from_assumed_arn(ctx.principal_arn))
            if _role and _role.get("Arn"):
                return _role["Arn"]
`;

/** Corrects what it says of a session of a role. @throws Error where it is another version than this patch is for */
export function patchEmulator(directory: string): void {
  const [file = ''] = globSync(join(directory, 'lib/python*/site-packages/ministack/core/iam_evaluator.py'));
  const text = readFileSync(file, 'utf8');
  if (text.split(PRINCIPAL_ARN).length !== 2 || !text.includes('def _role_name_from_assumed_arn(')) {
    throw new Error('ministack resolves aws:PrincipalArn in another way: look whether the patch is still needed.');
  }
  writeFileSync(file, text.replace(PRINCIPAL_ARN, PRINCIPAL_ARN + ARN_OF_ROLE));
}

export interface Emulator extends AsyncDisposable {
  readonly endpoint: string;
}

/**
 * Starts it, and makes this process, and those that it starts, call it and nothing else.
 * @param directory with its virtual environment
 * @throws Error where it does not answer
 */
export async function startEmulator(processes: Processes, directory: string, lane: Lane): Promise<Emulator> {
  const started = new AsyncDisposableStack();
  const port = await freePort(HOST);
  let address = port;
  if (lane === 'iam') {
    address = await freePort(HOST);
    const proxy = await startTlsProxy(port, address);
    started.defer(() => proxy.closeAllConnections());
    started.defer(() => void proxy.close());
  }
  const endpoint = `http://${HOST}:${address}`;
  useOnly({ ...KEYS[lane], AWS_ENDPOINT_URL: endpoint, AWS_REGION: REGION, AWS_DEFAULT_REGION: REGION });
  const temporary = join(directory, 'tmp');
  await mkdir(temporary, { recursive: true });
  const child = await processes.start(join(directory, 'bin/ministack'), [], {
    log: logOf(lane),
    environment: {
      GATEWAY_PORT: String(port),
      BIND_HOST: HOST,
      MINISTACK_HOST: HOST,
      MINISTACK_REGION: REGION,
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      LAMBDA_EXECUTOR: 'local',
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      LOG_LEVEL: 'INFO',
      TMPDIR: temporary,
      // The functions inherit it: they deliver to the tour's receiver on this machine.
      EVENT_TARGETS: 'loopback',
      ...(lane === 'iam' ? { AUTH: 'true' } : {}),
    },
  });
  started.defer(() => processes.end(child));
  await answering(`http://${HOST}:${port}/_ministack/health`, child);
  return { endpoint, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

export const logOf = (lane: Lane): string => `emulator-${lane}`;

/** Takes all that could lead to a real account out of the environment. */
function useOnly(variables: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (/^(AWS|CDK)_/.test(name)) delete process.env[name];
  const nowhere = join(import.meta.dirname, 'no-such-file');
  Object.assign(process.env, variables, {
    AWS_CONFIG_FILE: nowhere,
    AWS_SHARED_CREDENTIALS_FILE: nowhere,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    NO_COLOR: '1',
    CI: 'true',
    // The functions run on the Node that runs this.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  });
}

const PATIENCE_MS = 60_000;

async function answering(address: string, child: ChildProcess): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until && child.exitCode === null) {
    const isUp = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await wait(250);
  }
  throw new Error(`The emulator does not answer at ${address}.`);
}
