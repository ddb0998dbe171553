import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { KMSClient, ListKeysCommand } from '@aws-sdk/client-kms';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { leanDocumentClient, serviceOf } from '@custodia/lean-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { beforeEach, describe, expect, it, vi } from 'vitest';

/** Where a service is called: by the variables and in the partitions for which the SDK has rules. */

const CREDENTIALS = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };
type Name = Parameters<typeof serviceOf>[1]['name'];

let sent: { protocol: string; hostname: string; port?: number; path: string; headers: Record<string, string> }[] = [];
beforeEach(() => {
  sent = [];
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async (request) => {
    sent.push(request.clone() as never);
    throw Object.assign(new Error('not sent'), { name: 'NotSent' });
  });
});

/** Address and signature of a call, or the message why there is none. */
async function calledAt(call: () => Promise<unknown>): Promise<unknown> {
  sent = [];
  const { name, message } = await call().then(
    () => new Error('sent'),
    (error: Error) => error,
  );
  const [request] = sent;
  if (request === undefined) return `${name}: ${message}`;
  const { protocol, hostname, port, path, headers } = request;
  const scope = /\/\d{8}\/([^,]+), SignedHeaders=/.exec(headers.authorization ?? '')?.[1];
  return {
    address: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`,
    host: headers.host,
    scope,
  };
}

const byOurs = (name: Name, region: string, get?: string) => {
  const client = leanDocumentClient({ region, credentials: CREDENTIALS, maxAttempts: 1 }, Number);
  const service = { name, contentType: 'application/json', errorIn: JSON.parse } as const;
  const request = get === undefined ? { body: '{}' } : { get: { path: get, query: {} } };
  return calledAt(() => serviceOf(client, service)(request));
};

const SDK = {
  dynamodb: (config: object) => new DynamoDBClient(config).send(new ListTablesCommand({})),
  kms: (config: object) => new KMSClient(config).send(new ListKeysCommand({})),
  sts: (config: object) => new STSClient(config).send(new GetCallerIdentityCommand({})),
};
const bySdk = (name: keyof typeof SDK, region: string) =>
  calledAt(() => SDK[name]({ region, credentials: CREDENTIALS, maxAttempts: 1 }));

const ENDPOINT = 'http://127.0.0.1:4566';
const FIPS = { AWS_USE_FIPS_ENDPOINT: 'true' };
const DUAL_STACK = { AWS_USE_DUALSTACK_ENDPOINT: 'true' };
const set = (variables: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

describe.each(['dynamodb', 'kms', 'sts'] as const)('%s is called where the SDK calls it', (name) => {
  const own = `AWS_ENDPOINT_URL_${name.toUpperCase()}`;
  it.each([
    {},
    FIPS,
    DUAL_STACK,
    { ...FIPS, ...DUAL_STACK },
    { AWS_ENDPOINT_URL: ENDPOINT },
    { AWS_ENDPOINT_URL: `${ENDPOINT}/aws` },
    { [own]: ENDPOINT, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
    { [own]: '', AWS_ENDPOINT_URL: ENDPOINT },
    { AWS_ENDPOINT_URL_OTHER: ENDPOINT },
    { AWS_ENDPOINT_URL: ENDPOINT, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
    { [own]: ENDPOINT, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false' },
    { AWS_ENDPOINT_URL: ENDPOINT, ...FIPS },
    { AWS_ENDPOINT_URL: ENDPOINT, ...DUAL_STACK },
  ])('with %o', async (variables) => {
    set(variables);
    for (const region of [
      'eu-west-1',
      'us-gov-west-1',
      'cn-north-1',
      'eusc-de-east-1',
      'us-iso-east-1',
      'fips-us-east-2',
    ])
      expect(await byOurs(name, region), region).toEqual(await bySdk(name, region));
  });
});

it('calls the others by the rules of botocore 1.43.106', async () => {
  const usual: readonly Name[] = ['cloudformation', 'cloudtrail', 'logs', 'sqs'];
  const others: readonly Name[] = ['apigateway', 'backup', 'lambda'];
  set(FIPS);
  for (const name of [...usual, ...others]) {
    const host = usual.includes(name) ? name : `${name}-fips`;
    expect(await byOurs(name, 'us-gov-east-1')).toMatchObject({ host: `${host}.us-gov-east-1.amazonaws.com` });
    expect(await byOurs(name, 'us-east-1')).toMatchObject({ host: `${name}-fips.us-east-1.amazonaws.com` });
  }
});

it.each([
  ['apigateway', 'API_GATEWAY'],
  ['backup', 'BACKUP'],
  ['cloudformation', 'CLOUDFORMATION'],
  ['cloudtrail', 'CLOUDTRAIL'],
  ['lambda', 'LAMBDA'],
  ['logs', 'CLOUDWATCH_LOGS'],
  ['sqs', 'SQS'],
] as const)('%s has the variable AWS_ENDPOINT_URL_%s', async (name, variable) => {
  set({ [`AWS_ENDPOINT_URL_${variable}`]: `${ENDPOINT}/aws/`, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
  expect(await byOurs(name, 'eu-west-1', '/account')).toEqual({
    address: `${ENDPOINT}/aws/account`,
    host: '127.0.0.1:4566',
    scope: `eu-west-1/${name}/aws4_request`,
  });
});
