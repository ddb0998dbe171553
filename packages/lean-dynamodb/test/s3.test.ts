import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { presign } from '../src/index.ts';

const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret', sessionToken: 'a+b/c=' };
const signingDate = new Date('2026-11-27T00:00:00Z');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, step by step. */
function signatureOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const encode = (text: string): string =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(encode).join('='))
    .toSorted();
  const lines = Object.entries({ ...headers, host: url.host })
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value}\n`);
  const names = url.searchParams.get('X-Amz-SignedHeaders') ?? '';
  const canonical = ['PUT', url.pathname, query.join('&'), lines.join(''), names, 'UNSIGNED-PAYLOAD'].join('\n');
  const scope = '20261127/eu-west-1/s3/aws4_request';
  const digest = createHash('sha256').update(canonical).digest('hex');
  const key = scope.split('/').reduce<string | Buffer>((each, part) => hmac(each, part), 'AWS4secret');
  return hmac(key, ['AWS4-HMAC-SHA256', '20261127T000000Z', scope, digest].join('\n')).toString('hex');
}

it('signs a URL as S3 computes it, with its headers as headers', async () => {
  const headers = { 'content-length': '5', 'if-none-match': '*', 'x-amz-checksum-sha256': 'a+/=' };
  const request = {
    method: 'PUT',
    key: 'tenant/id',
    headers,
    query: { 'response-content-disposition': `a; f*=U''%20(*)` },
  };
  const url = new URL(
    await presign('https://bucket.s3.eu-west-1.amazonaws.com', request as never, {
      ...{ credentials, region: 'eu-west-1', signingDate, expiresIn: 900 },
    }),
  );
  expect(url.searchParams.get('X-Amz-Signature')).toBe(signatureOf(url, headers));
  expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host;if-none-match;x-amz-checksum-sha256');
  expect(url.searchParams.get('X-Amz-Security-Token')).toBe('a+b/c=');
  expect([...url.searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
});
