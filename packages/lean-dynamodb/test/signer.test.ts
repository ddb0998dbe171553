import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../../../test/support/code-point.ts';
import { LeanSigner } from '../src/signer.ts';

const REGION = 'eu-central-1';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The SDK's own signer. */
async function sdkSigner(credentials: Credentials) {
  const { config } = new DynamoDBClient({ region: REGION, credentials });
  return config.signer({ name: 'sigv4', signingName: 'dynamodb', signingRegion: REGION, properties: {} });
}

const never = (): Promise<never> => Promise.reject(new Error('left to the SDK'));

const request = (body: string, more: Partial<HttpRequest> = {}): HttpRequest =>
  new HttpRequest({
    method: 'POST',
    protocol: 'https:',
    hostname: 'dynamodb.eu-central-1.amazonaws.com',
    path: '/',
    body,
    ...more,
    headers: {
      host: 'dynamodb.eu-central-1.amazonaws.com',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'amz-sdk-invocation-id': '4f1c',
      'amz-sdk-request': 'attempt=1; max=3',
      'content-length': String(Buffer.byteLength(body)),
      ...more.headers,
    },
  });

const word = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '');
const credentials: fc.Arbitrary<Credentials> = fc.oneof(
  fc.record({ accessKeyId: fc.constantFrom('AKIA1', 'AKIA2'), secretAccessKey: fc.constantFrom('secret/1', 'é2') }),
  fc.record({ accessKeyId: word, secretAccessKey: word, sessionToken: fc.base64String({ minLength: 4 }) }),
);
const call = fc.record({
  body: fc.string({ unit: codePoint }),
  credentials,
  signingDate: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
  signingRegion: fc.constantFrom(undefined, 'us-east-1'),
});

describe('the signer of calls of DynamoDB', () => {
  it('signs as the SDK’s, one call after the other, whatever their day, region and credentials', async () => {
    const signs = fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), async (calls) => {
      let held: Credentials = { accessKeyId: '', secretAccessKey: '' };
      const signer = new LeanSigner({ credentials: async () => held, region: async () => REGION }, never);
      for (const { body, credentials, signingRegion, ...when } of calls) {
        held = credentials;
        const at = signingRegion === undefined ? when : { ...when, signingRegion };
        const expected = await (await sdkSigner(credentials)).sign(request(body), at);
        expect((await signer.sign(request(body), at)).headers).toEqual(expected.headers);
      }
    });
    await fc.assert(signs, { numRuns: 30 });
  });

  it.each<[string, Partial<HttpRequest>]>([
    ['another header', { headers: { 'X-Other': ' two  spaces ', 'User-Agent': 'not signed' } }],
    ['a value with spaces', { headers: { 'x-amz-target': 'two  spaces' } }],
    ['another path', { path: '/a b/../c' }],
    ['a query', { query: { b: '1', a: ['é', '/'] } }],
    ['bytes', { body: new Uint8Array([0, 255]) }],
  ])('leaves a request with %s to the SDK', async (_, more) => {
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };
    const config = { credentials: async () => credentials, region: async () => REGION };
    const signingDate = new Date('2026-11-21T12:00:00Z');
    const signer = new LeanSigner(config, () => sdkSigner(credentials));
    const { headers } = await signer.sign(request('{}', more), { signingDate });
    const expected = await (await sdkSigner(credentials)).sign(request('{}', more), { signingDate });
    expect(headers).toEqual(expected.headers);
    await expect(new LeanSigner(config, never).sign(request('{}', more), { signingDate })).rejects.toThrow('SDK');
  });
});
