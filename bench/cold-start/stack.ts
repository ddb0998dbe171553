import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ids } from '@custodia/counted-lists';
import { build } from 'esbuild';
import { bundleOne } from '../../infra/bundling/bundle.ts';
import { isOfBackground } from '../../infra/rights.ts';
import type { RunningStack } from '../../test/infra/account/deploy.ts';
import { type BundleSize, bundleSize } from '../../test/infra/bundle-size.ts';
import { selfSigned } from '../../test/support/certificate.ts';
import { CannedServer, type Upstreams } from './canned-server.ts';
import { firstRequests } from './first-requests.ts';
import type { Launched } from './launcher.ts';
import { type Startable, startFunction } from './start.ts';

/**
 * The functions of the stack that somebody waits for, and the bare ones, each with its first request and AWS's
 * responses to it.
 */

const ROOT = join(import.meta.dirname, '../..');

export const BARE = 'bare SDK';
export const TRIMMED = 'bare SDK, trimmed';

export interface Prepared {
  readonly name: string;
  /** The first request, in words. */
  readonly title: string;
  /** Number of calls of AWS. */
  readonly calls: number;
  readonly size: BundleSize | undefined;
  /** Starts it once more in a fresh process. */
  readonly start: () => Promise<Launched>;
}

interface PreparedStarts extends AsyncDisposable {
  readonly functions: readonly Prepared[];
}

/**
 * Starts the functions of a running stack once, so that their responses are recorded: those of these names, or all, and
 * the bare ones.
 */
export async function prepareStarts(
  stack: RunningStack,
  report: (text: string) => void,
  names?: readonly string[],
): Promise<PreparedStarts> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'custodia-cold-start-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const certificate = selfSigned();
  await writeFile(join(directory, 'certificate.pem'), certificate.cert);
  const server = await CannedServer.start(certificate);
  started.defer(() => server.stop());
  await bundleLauncher(directory);
  const shared = {
    ...server.environment,
    AWS_REGION: 'eu-west-1',
    NODE_EXTRA_CA_CERTS: join(directory, 'certificate.pem'),
  };
  const start = (startable: Startable) => startFunction(startable, directory, shared);

  const functions: Prepared[] = [];
  const asked = (await ours(stack)).filter(({ startable }) => names?.includes(startable.name) !== false);
  for (const recordable of [...(await bare(stack, directory)), ...asked]) {
    const { startable, upstreams, ...known } = recordable;
    report(`recording ${startable.name}`);
    const exchanges = await server.record(upstreams, () => start(startable));
    const again = () => server.replay(exchanges, () => start(startable));
    functions.push({ ...known, name: startable.name, calls: exchanges.length, start: again });
  }
  const all = started.move();
  return { functions, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

interface Recordable extends Pick<Prepared, 'title' | 'size'> {
  readonly startable: Startable;
  readonly upstreams: Upstreams;
}

async function ours(stack: RunningStack): Promise<Recordable[]> {
  const { account } = stack;
  const requests = await firstRequests(stack, await stack.orgToken());
  const upstreams = { dynamodb: account.dynamoDbEndpoint, sts: account.stsEndpoint, kms: account.kmsEndpoint };
  const waitedFor = [...stack.functions].filter(([name]) => !isOfBackground(name));
  return waitedFor.map(([name, { assetPath, module, export: exported, environment: variables, role }]): Recordable => {
    const request = requests.get(name);
    if (request === undefined) throw new Error(`${name} has no first request`);
    const { title, event, status } = request;
    const environment = { ...variables, ...account.credentialsOf({ roleArn: role, tags: {} }) };
    const startable = { name, module, export: exported, event, status, environment };
    return { startable, upstreams, title, size: bundleSize(assetPath, join(stack.assembly, 'bundles', name)) };
  });
}

/**
 * The bare function, bundled by the defaults of CDK's `NodejsFunction` with the SDK included, and bundled as our
 * functions are.
 */
async function bare(stack: RunningStack, directory: string): Promise<Recordable[]> {
  const { orgId, token } = await stack.orgToken();
  const { body } = await stack.request('POST', '/api/v1/clients', { token, body: { name: 'Acme' } });
  const event = { queryStringParameters: { PK: `ORG#${orgId}#CLIENT`, SK: ids.sortKeyOf(0) } };
  if (body.id === undefined) throw new Error('no client was made to be read');
  const { endpoint: dynamodb, tableName } = stack.table;
  const environment = {
    TABLE_NAME: tableName,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: 'token',
  };
  const entry = 'bench/cold-start/bare.ts';
  const byDefault = join(directory, 'bare', 'index.cjs');
  const trimmed = join(directory, 'trimmed');
  await Promise.all([bundleByDefault(entry, byDefault), bundleOne(entry, trimmed)]);
  const recordable = (name: string, module: string, size?: BundleSize): Recordable => ({
    startable: { name, module, export: 'handler', event, status: 200, environment },
    upstreams: { dynamodb, sts: dynamodb, kms: dynamodb },
    title: 'reads an item',
    size,
  });
  return [recordable(BARE, byDefault), recordable(TRIMMED, join(trimmed, 'index.mjs'), bundleSize(trimmed, trimmed))];
}

/**
 * `esbuild --bundle --target=node24 --platform=node`: what `NodejsFunction` runs where only `bundleAwsSDK` is set
 * (`aws-cdk-lib/aws-lambda-nodejs/lib/bundling.js`).
 */
const bundleByDefault = (entry: string, outfile: string) =>
  build({ absWorkingDir: ROOT, entryPoints: [entry], outfile, bundle: true, target: 'node24', platform: 'node' });

async function bundleLauncher(directory: string): Promise<void> {
  const outfile = join(directory, 'launcher.mjs');
  const entryPoints = [join(import.meta.dirname, 'launcher.ts')];
  await build({ entryPoints, outfile, bundle: true, target: 'node24', platform: 'node', format: 'esm' });
}
