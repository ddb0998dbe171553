import { timingSafeEqual } from 'node:crypto';
import { presign } from '@custodia/lean-dynamodb';
import { ObjectStoreError } from './error.ts';

/** A request as it came, with its headers in lower case. */
export interface SignedRequest {
  readonly method: string;
  /** That of its object; empty for the bucket. */
  readonly key: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Verifying {
  /** The address that was signed. */
  readonly bucket: string;
  /** The secret of an access key; undefined: there is none, or it may not do this. */
  readonly secretOf: (accessKeyId: string, request: SignedRequest) => string | undefined;
  /** In epoch milliseconds. */
  readonly now: number;
}

/** What a signature adds to a query. */
const OF_SIGNATURE = /^X-Amz-(Algorithm|Content-Sha256|Credential|Date|Expires|SignedHeaders|Signature)$/i;
/** The scope of a signature: access key, day, region. */
const CREDENTIAL = /^([\w-]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request$/;
const DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** A signature of the future is valid, for clocks that differ. In milliseconds. */
const SKEW = 15 * 60_000;

/**
 * Verifies a presigned request as S3 does: by signing what came once more
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
 * @throws ObjectStoreError 403
 */
export async function verifySignature(request: SignedRequest, verifying: Verifying): Promise<void> {
  const { url, headers } = request;
  const parameter = (name: string): string => url.searchParams.get(`X-Amz-${name}`) ?? '';
  const [, accessKeyId = '', day, region = ''] = CREDENTIAL.exec(parameter('Credential')) ?? [];
  const [, year, month, date, hour, minute, second] = DATE.exec(parameter('Date')) ?? [];
  const expiresIn = Number(parameter('Expires'));
  const signedAt = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(signedAt) || !(expiresIn >= 1 && expiresIn <= 604_800) || day !== `${year}${month}${date}`)
    throw denied('The request is not presigned.');
  const secretAccessKey = verifying.secretOf(accessKeyId, request);
  if (secretAccessKey === undefined) throw new ObjectStoreError('InvalidAccessKeyId');
  if (verifying.now < signedAt - SKEW) throw denied('Request is not yet valid');
  if (verifying.now > signedAt + expiresIn * 1_000) throw denied('Request has expired');
  const names = parameter('SignedHeaders').split(';');
  const unsigned = Object.keys(headers).filter((name) => name.startsWith('x-amz-') && !names.includes(name));
  if (unsigned.length > 0) throw denied(`There were headers present in the request which were not signed: ${unsigned}`);
  const credentials = { accessKeyId, secretAccessKey };
  const presigning = { credentials, region, signingDate: new Date(signedAt), expiresIn };
  const expected = new URL(await presign(verifying.bucket, signedPart(request, names), presigning));
  const signatures = [url, expected].map((each) => Buffer.from(each.searchParams.get('X-Amz-Signature') ?? ''));
  const [sent = Buffer.of(), own = Buffer.of()] = signatures;
  if (sent.length !== own.length || !timingSafeEqual(sent, own)) throw new ObjectStoreError('SignatureDoesNotMatch');
}

/** A header that was signed and did not come counts as empty. */
function signedPart({ method, key, url, headers }: SignedRequest, names: readonly string[]) {
  const others = names.filter((name) => name !== 'host');
  return {
    method: method as 'PUT',
    key,
    query: Object.fromEntries([...url.searchParams].filter(([name]) => !OF_SIGNATURE.test(name))),
    headers: Object.fromEntries(others.map((name) => [name, headers[name] ?? ''])),
  };
}

const denied = (message: string): ObjectStoreError => new ObjectStoreError('AccessDenied', message);
