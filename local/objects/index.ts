import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { localConnection } from '#local-dynamodb';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { createPrivateFile } from '../../shared/private-file.ts';
import { originOf } from '../gateway/hosts.ts';
import { ObjectStoreError } from './error.ts';
import { type SignedRequest, type Verifying, verifySignature } from './signature.ts';

/**
 * A store of objects on this machine that takes presigned requests as S3 does, with the checks that matter: signature,
 * expiry, signed headers, length, checksum and `If-None-Match`. It keeps one version of each object, in a file.
 */
export interface ObjectStore extends AsyncDisposable {
  /** The address of its bucket. */
  readonly url: string;
}

interface StoreOptions {
  readonly directory: string;
  readonly host?: string;
  /** Origins whose pages may call. */
  readonly corsOrigins?: readonly string[] | undefined;
  readonly clock?: Clock;
  /** Default: that of functions whose engine needs no access key of its own. */
  readonly secretOf?: Verifying['secretOf'];
}

const BUCKET = 'attachments';
/** Those of a tenant and an attachment. Nothing else becomes a path. */
const KEY = /^[\w-]{1,40}\/[\w-]{1,40}$/;
/** More than an attachment may have. In bytes. */
const LARGEST = 30_000_000;

/** Starts the store on a free port. */
export async function startObjectStore({
  directory,
  host = '127.0.0.1',
  ...options
}: StoreOptions): Promise<ObjectStore> {
  const { corsOrigins = [], clock = systemClock, secretOf = keyOf(() => 'http://unused') } = options;
  const server = createServer(async (request, response) => {
    const cors = corsHeaders(request.headers.origin, corsOrigins);
    try {
      const { status, headers = {}, body } = await reply(request, { bucket: url, directory, now: clock(), secretOf });
      response.writeHead(status, { ...cors, ...headers }).end(body);
    } catch (error) {
      fail(response, error, cors);
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `${originOf(host, port)}/${BUCKET}`;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { url, [Symbol.asyncDispose]: close };
}

function fail(response: ServerResponse, error: unknown, cors: Readonly<Record<string, string>>): void {
  const { status, xml } = error instanceof ObjectStoreError ? error : { status: 500, xml: '<Error/>' };
  // What is left of the request is not read.
  response.writeHead(status, { ...cors, 'content-type': 'application/xml', connection: 'close' }).end(xml);
}

interface Place extends Verifying {
  readonly directory: string;
}

/** What signs for the functions: they have the access key of the engine at an address. */
export const keyOf =
  (address: () => string): Verifying['secretOf'] =>
  (accessKeyId) => {
    const { credentials } = localConnection(address());
    return accessKeyId === credentials.accessKeyId ? credentials.secretAccessKey : undefined;
  };

interface StoreReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | string;
}

async function reply(incoming: IncomingMessage, place: Place): Promise<StoreReply> {
  const { method = '' } = incoming;
  if (method === 'OPTIONS') return { status: 204 };
  const url = URL.parse(incoming.url ?? '/', place.bucket);
  if (url === null) throw new ObjectStoreError('InvalidURI');
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const key = url.pathname.slice(`/${BUCKET}/`.length);
  const request: SignedRequest = { method, key, url, headers };
  await verifySignature(request, place);
  if (method === 'GET' && key === '') return versions(place, url.searchParams.get('prefix') ?? '');
  if (!KEY.test(key)) throw new ObjectStoreError('NoSuchKey');
  const file = join(place.directory, key);
  if (method === 'PUT') return put(file, incoming, headers);
  if (method === 'GET' || method === 'HEAD') return get(file, request);
  if (method !== 'DELETE') throw new ObjectStoreError('MethodNotAllowed');
  await rm(file, { force: true });
  return { status: 204 };
}

async function put(file: string, incoming: IncomingMessage, headers: SignedRequest['headers']): Promise<StoreReply> {
  const length = headers['content-length'];
  if (length === undefined) throw new ObjectStoreError('MissingContentLength');
  if (Number(length) > LARGEST) throw new ObjectStoreError('EntityTooLarge');
  const body = await buffer(incoming);
  const sha256 = headers['x-amz-checksum-sha256'];
  if (sha256 !== undefined && sha256 !== digestOf(body)) throw new ObjectStoreError('BadDigest');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  if (headers['if-none-match'] !== '*') await rm(file, { force: true });
  if (!(await createPrivateFile(file, body))) throw new ObjectStoreError('PreconditionFailed');
  return { status: 200, headers: { etag: `"${createHash('md5').update(body).digest('hex')}"` } };
}

async function get(file: string, { method, url, headers }: SignedRequest): Promise<StoreReply> {
  const body = await readFile(file).catch(() => undefined);
  if (body === undefined) throw new ObjectStoreError('NoSuchKey');
  const [type, disposition] = ['type', 'disposition'].map((name) => url.searchParams.get(`response-content-${name}`));
  return {
    status: 200,
    headers: {
      'content-length': body.length,
      'content-type': type ?? 'binary/octet-stream',
      ...(disposition ? { 'content-disposition': disposition } : {}),
      ...(headers['x-amz-checksum-mode'] === 'ENABLED' ? { 'x-amz-checksum-sha256': digestOf(body) } : {}),
    },
    ...(method === 'HEAD' ? {} : { body }),
  };
}

const digestOf = (body: Buffer): string => createHash('sha256').update(body).digest('base64');

/** The objects whose keys begin so: each has one version. */
async function versions({ directory }: Place, prefix: string): Promise<StoreReply> {
  const files = await readdir(directory, { recursive: true }).catch(() => []);
  const keys = files.map((name) => name.replaceAll('\\', '/')).filter((key) => KEY.test(key) && key.startsWith(prefix));
  const listed = keys.map((key) => `<Version><Key>${key}</Key><VersionId>null</VersionId></Version>`);
  const body = `<ListVersionsResult><IsTruncated>false</IsTruncated>${listed.join('')}</ListVersionsResult>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

const corsHeaders = (origin: string | undefined, origins: readonly string[]): Readonly<Record<string, string>> =>
  origin === undefined || !(origins.includes('*') || origins.includes(origin))
    ? {}
    : {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, PUT',
        'access-control-allow-headers': '*',
        vary: 'Origin',
      };
