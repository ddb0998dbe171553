import { Sha256 } from '@smithy/core/checksum';
import { ServiceException } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';

/** Amazon S3: the objects of one bucket (https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html). */

/** A request about an object, or about the bucket where the key is empty. */
export interface ObjectRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** It has letters, digits, `-` and `/`, so that it is its own form in a URL. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** In lower case. A presigned URL is valid with exactly these. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ObjectResponse {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type Credentials = ConstructorParameters<typeof SignatureV4>[0]['credentials'];

interface Presigning {
  readonly credentials: Credentials;
  readonly region: string;
  readonly signingDate: Date;
  /** In seconds. */
  readonly expiresIn: number;
}

/**
 * A URL with which anybody may send a request, until it expires. Its headers are signed as headers: S3 ignores the
 * checksum of a URL that has it in the query.
 * @param bucket the address of the bucket, without a slash at its end
 */
export async function presign(bucket: string, request: ObjectRequest, presigning: Presigning): Promise<string> {
  const { credentials, region, signingDate, expiresIn } = presigning;
  const signer = new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false });
  const unsigned = requestTo(bucket, request);
  unsigned.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
  const { query } = await signer.presign(unsigned, {
    signingDate,
    expiresIn,
    unhoistableHeaders: new Set(Object.keys(request.headers ?? {})),
  });
  const text = new URLSearchParams(query as Record<string, string>).toString().replaceAll('+', '%20');
  return `${bucket}/${request.key}?${text}`;
}

function requestTo(bucket: string, { method, key, query = {}, headers = {} }: ObjectRequest): HttpRequest {
  const { protocol, hostname, host, port, pathname } = new URL(bucket);
  const path = `${pathname.replace(/\/$/, '')}/${key}`;
  return new HttpRequest({
    method,
    protocol,
    hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    path,
    query: { ...query },
    headers: { ...headers, host },
  });
}

/** In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

let shared: NodeHttpHandler | undefined;

/**
 * Sends a request about an object, signed like a URL for others. The caller repeats what fails.
 * @throws ServiceException for a 5xx, or an error of the connection
 */
export async function askS3(bucket: string, request: ObjectRequest, presigning: Presigning): Promise<ObjectResponse> {
  shared ??= new NodeHttpHandler(TIMEOUTS);
  const { searchParams } = new URL(await presign(bucket, request, presigning));
  const query = Object.fromEntries(searchParams);
  const { response } = await shared.handle(requestTo(bucket, { ...request, query }));
  const { statusCode: status, headers, body } = response;
  let text = '';
  for await (const part of body as AsyncIterable<Buffer>) text += part.toString();
  if (status < 500) return { status, headers, text };
  const $metadata = { httpStatusCode: status };
  throw new ServiceException({ name: 'S3', message: text, $fault: 'server', $metadata });
}
