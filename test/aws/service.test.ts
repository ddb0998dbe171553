import { Readable } from 'node:stream';
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { isTransient } from '@custodia/counted-lists';
import { assumeRole, kmsOf, serviceOf } from '@custodia/lean-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tableOf } from '#table';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';

/** Calls of KMS and STS without the SDK's clients for them: what is sent is what those send, and what comes back is understood as they do. */

type Sent = Parameters<NodeHttpHandler['handle']>[0];

const ROLE = 'arn:aws:iam::111122223333:role/tenant';
const SESSION = {
  AccessKeyId: 'ASIA',
  SecretAccessKey: 'a+b/c=',
  SessionToken: 'x+y/z==',
  Expiration: '2026-11-20T10:30:00Z',
};
const xmlOf = (session: object) =>
  `<AssumeRoleResponse><AssumeRoleResult><Credentials>${Object.entries(session)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')}</Credentials></AssumeRoleResult></AssumeRoleResponse>`;
const KEY = JSON.stringify({ Plaintext: 'AQID' });

/** All sent requests, and the responses to the next ones; the last response is repeated. */
let sent: Sent[] = [];
let responses: (readonly [status: number, text: string] | Error)[] = [];

beforeEach(() => {
  sent = [];
  responses = [];
  const { handle } = NodeHttpHandler.prototype;
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async function (this: NodeHttpHandler, request) {
    // What an earlier file of this process still has under way goes on.
    if (request.hostname === '127.0.0.1') return handle.call(this, request);
    sent.push(request.clone() as Sent);
    const response = responses.length > 1 ? responses.shift() : responses[0];
    if (response === undefined) throw new Error('no answer is planned');
    if (response instanceof Error) throw response;
    const [statusCode, text] = response;
    return { response: new HttpResponse({ statusCode, headers: {}, body: Readable.from([Buffer.from(text)]) }) };
  });
});
afterEach(() => void vi.restoreAllMocks());

const CONFIG = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret', sessionToken: 't' },
};
const clientIn = (region: string) => tableOf('records', { ...CONFIG, region, maxAttempts: 3 }).client;

const open = (region = 'eu-west-1') =>
  assumeRole(clientIn(region), { role: ROLE, name: 'tenant-1', duration: 3_600, tag: { key: 'tenant', value: 'ä*' } });
const decrypt = (region = 'eu-west-1') =>
  kmsOf(clientIn(region))('Decrypt', { KeyId: 'k', CiphertextBlob: 'BAUG', EncryptionContext: { tenant: '1' } });

const openBySdk = (region = 'eu-west-1') =>
  new STSClient({ ...CONFIG, region }).send(
    new AssumeRoleCommand({
      RoleArn: ROLE,
      RoleSessionName: 'tenant-1',
      DurationSeconds: 3_600,
      Tags: [{ Key: 'tenant', Value: 'ä*' }],
    }),
  );
const decryptBySdk = (region = 'eu-west-1') =>
  new KMSClient({ ...CONFIG, region }).send(
    new DecryptCommand({
      KeyId: 'k',
      CiphertextBlob: Buffer.from('BAUG', 'base64'),
      EncryptionContext: { tenant: '1' },
    }),
  );

/** What a service sees of a request, without what is of the one attempt or tells what software sent it. */
const seen = ({ method, protocol, hostname, port, path, headers, body }: Sent) => {
  const { 'content-type': type, 'x-amz-target': target, 'x-amz-security-token': token, host } = headers;
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const isForm = type === 'application/x-www-form-urlencoded';
  const scope = /\/\d{8}\/([^,]+), SignedHeaders=/.exec(headers.authorization ?? '')?.[1];
  const content = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
  return { method, protocol, hostname, port, path, type, target, token, host, scope, content };
};

async function expectSignedAsBySdk(): Promise<void> {
  const request = (sent[0] as Sent).clone();
  const { authorization, 'x-amz-date': date = '' } = request.headers;
  delete request.headers.authorization;
  const [signingName = '', signingRegion = ''] = request.hostname.split('.');
  const signer = await new STSClient(CONFIG).config.signer({
    name: 'sigv4',
    signingName,
    signingRegion,
    properties: {},
  });
  const iso = date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  expect((await signer.sign(request, { signingDate: new Date(iso) })).headers.authorization).toBe(authorization);
}

describe.each([
  ['STS', open, openBySdk, xmlOf(SESSION)],
  ['KMS', decrypt, decryptBySdk, KEY],
] as const)('a call of %s', (_service, ours, bySdk, response) => {
  it.each(['eu-west-1', 'us-east-1', 'cn-north-1', 'us-gov-west-1', 'ap-south-2'])(
    'in %s goes where the SDK sends it, and says the same',
    async (region) => {
      responses = [[200, response]];
      await ours(region);
      await bySdk(region);
      const [own, sdk] = sent.map(seen);
      expect(own).toEqual(sdk);
      expect(own?.scope).toMatch(new RegExp(`^${region}/(sts|kms)/aws4_request$`));
    },
  );

  it('is not counted as a call of the table', async () => {
    responses = [[200, response]];
    const invocation = new Invocation({});
    await within<Promise<unknown>>(invocation, () => ours());
    expect([...invocation.counts]).toEqual([]);
  });

  it('has the signature that the SDK’s own signer makes of it', async () => {
    responses = [[200, response]];
    await ours();
    await expectSignedAsBySdk();
  });

  it.each([500, 503])(
    'is tried three times while the service fails with %i, which is a passing failure',
    async (status) => {
      responses = [[status, '<html>']];
      const error = await ours().catch((cause: unknown) => cause);
      expect(sent).toHaveLength(3);
      expect(isTransient(error)).toBe(true);
      sent = [];
      responses = [
        [status, ''],
        [200, response],
      ];
      await ours();
      expect(sent).toHaveLength(2);
    },
  );

  it('is tried again when its connection breaks', async () => {
    const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    responses = [broken, [200, response]];
    await ours();
    expect(sent).toHaveLength(2);
  });

  it('that is refused for good is an error with the status, whatever the response is', async () => {
    for (const text of ['', '<html>', '{', 'null', '<a/>', '[]', '{"__type":1}']) {
      sent = [];
      responses = [[400, text]];
      const error = await ours().catch((cause: unknown) => cause);
      expect(error, text).toMatchObject({ name: 'UnknownError', $fault: 'client', $metadata: { httpStatusCode: 400 } });
      expect(isTransient(error)).toBe(false);
      expect(sent).toHaveLength(1);
    }
  });
});

it('a question by a path has the signature that the SDK’s own signer makes of it', async () => {
  responses = [[200, '{}']];
  const service = { name: 'backup', contentType: 'application/json', errorIn: JSON.parse } as const;
  const get = { path: '/backup-jobs/', query: { createdAfter: '2026-11-13T12:00:00.000Z', backupVaultName: 'a b' } };
  await serviceOf(clientIn('eu-west-1'), service)({ get });
  expect(sent[0]).toMatchObject({ method: 'GET', hostname: 'backup.eu-west-1.amazonaws.com', ...get });
  await expectSignedAsBySdk();
});

describe('what comes back', () => {
  it('is a session, with its end', async () => {
    responses = [[200, xmlOf(SESSION)]];
    const bySdk = (await openBySdk()).Credentials;
    expect(await open()).toEqual({
      accessKeyId: bySdk?.AccessKeyId,
      secretAccessKey: bySdk?.SecretAccessKey,
      sessionToken: bySdk?.SessionToken,
      expiration: bySdk?.Expiration,
    });
  });

  it.each(Object.keys(SESSION))('without %s is no session', async (name) => {
    responses = [[200, xmlOf({ ...SESSION, [name]: '' })]];
    await expect(open()).rejects.toThrow('STS returned no credentials');
  });

  it('is an error by the name that the SDK has for it', async () => {
    const namesOf = async (calls: readonly (() => Promise<unknown>)[]) =>
      Promise.all(calls.map((call) => call().catch(({ name, message }: Error) => [name, message])));
    responses = [
      [403, '<ErrorResponse><Error><Code>AccessDenied</Code><Message>no &amp; never</Message></Error></ErrorResponse>'],
    ];
    const [own, sdk] = await namesOf([open, openBySdk]);
    expect([own, own]).toEqual([sdk, ['AccessDenied', 'no & never']]);
    for (const type of ['InvalidCiphertextException', 'com.amazonaws.kms#InvalidCiphertextException']) {
      responses = [[400, JSON.stringify({ __type: type, message: 'no' })]];
      const [ours, theirs] = await namesOf([decrypt, decryptBySdk]);
      expect([ours, ours], type).toEqual([theirs, ['InvalidCiphertextException', 'no']]);
    }
  });

  it('is what KMS said', async () => {
    responses = [[200, KEY]];
    expect(await decrypt()).toEqual({ Plaintext: 'AQID' });
  });
});
