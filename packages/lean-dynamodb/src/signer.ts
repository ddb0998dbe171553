import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { DynamoDBClientResolvedConfig } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';

type MakeSigner = DynamoDBClientResolvedConfig['signer'];
type Signer = Awaited<ReturnType<MakeSigner>>;
type Credentials = Awaited<ReturnType<DynamoDBClientResolvedConfig['credentials']>>;

interface When {
  readonly signingDate?: Date | number | string;
  readonly signingRegion?: string;
  readonly signingService?: string;
}

/** The headers of our calls as they are signed, in the order of the alphabet. */
const SIGNED = [
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'content-length',
  'content-type',
  'host',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-target',
] as const;
const KNOWN: ReadonlySet<string> = new Set(SIGNED);

/** Tells whether a request has nothing that the SDK's signer would have to encode, leave out or put in order. */
const isPlain = ({ headers, path, query, method, body }: HttpRequest): boolean =>
  method === 'POST' &&
  path === '/' &&
  typeof body === 'string' &&
  Object.keys(query ?? {}).length === 0 &&
  Object.entries(headers).every(([name, value]) => KNOWN.has(name) && !/\s\s|^\s|\s$|[\t\r\n]/.test(value));

/**
 * Signs calls of DynamoDB as the SDK's `SignatureV4` does, with a third of its work: headers are known, and the key of
 * a day is kept. It asks for the credentials each time. A request with anything else is signed by the SDK's own.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export class LeanSigner {
  readonly #config: Pick<DynamoDBClientResolvedConfig, 'credentials' | 'region'>;
  readonly #makeSdkSigner: () => Promise<Signer>;
  #time: { readonly second: number; readonly text: string } | undefined;
  #key: { readonly secret: string; readonly scope: string; readonly key: KeyObject } | undefined;

  constructor(
    config: Pick<DynamoDBClientResolvedConfig, 'credentials' | 'region'>,
    makeSdkSigner: () => Promise<Signer>,
  ) {
    this.#config = config;
    this.#makeSdkSigner = makeSdkSigner;
  }

  async sign(request: HttpRequest, when: When): Promise<HttpRequest> {
    const { signingDate, signingRegion, signingService = 'dynamodb' } = when;
    if (!(signingDate instanceof Date) || !isPlain(request)) {
      return (await (await this.#makeSdkSigner()).sign(request, when)) as HttpRequest;
    }
    const region = signingRegion ?? (await this.#config.region());
    const time = this.#timeOf(signingDate);
    const scope = `${time.slice(0, 8)}/${region}/${signingService}/aws4_request`;
    return this.#signed(request, await this.#config.credentials(), time, scope);
  }

  /** `20261120T093000Z`, written once for the calls of a second. */
  #timeOf(date: Date): string {
    const second = Math.floor(date.getTime() / 1_000);
    if (this.#time?.second !== second) this.#time = { second, text: date.toISOString().replace(/[-:]|\.\d{3}/g, '') };
    return this.#time.text;
  }

  #signed(request: HttpRequest, credentials: Credentials, time: string, scope: string): HttpRequest {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const payload = hash('sha256', request.body);
    const headers: Record<string, string> = { ...request.headers, 'x-amz-date': time, 'x-amz-content-sha256': payload };
    if (sessionToken) headers['x-amz-security-token'] = sessionToken;
    const names = SIGNED.filter((name) => headers[name] !== undefined);
    const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
    const signedHeaders = names.join(';');
    const canonical = hash('sha256', `POST\n/\n\n${lines}\n${signedHeaders}\n${payload}`);
    const signature = createHmac('sha256', this.#keyOf(secretAccessKey, scope))
      .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${canonical}`)
      .digest('hex');
    const credential = `Credential=${accessKeyId}/${scope}`;
    headers.authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    return new HttpRequest({ ...request, headers });
  }

  /** As a `KeyObject`: Node 24 takes 15 µs for an HMAC whose key is bytes, 3 µs for this one. */
  #keyOf(secret: string, scope: string): KeyObject {
    if (this.#key?.secret !== secret || this.#key.scope !== scope) {
      const bytes = scope
        .split('/')
        .reduce<string | Buffer>((key, part) => createHmac('sha256', key).update(part).digest(), `AWS4${secret}`);
      this.#key = { secret, scope, key: createSecretKey(bytes as Buffer) };
    }
    return this.#key.key;
  }
}
