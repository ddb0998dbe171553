import { retry } from '@custodia/counted-lists';
import { askS3, type ObjectRequest, presign } from '@custodia/lean-dynamodb';
import { Problem } from '#contract';
import type { Tenant } from '#table';
import type { TimeLimit } from '../../../shared/clock.ts';
import type { Attachment } from './contract.ts';
import { dispositionOf } from './disposition.ts';
import { DOWNLOAD, UPLOAD } from './limits.ts';
import { objectKey } from './state/uploads.ts';

/** The objects of a tenant's attachments: by URLs for callers, and by calls in the tenant's session with AWS. */

/** A session that signs a URL lasts longer than the URL, because AWS refuses the URL from the session's end on. */
const MARGIN = 60_000;
const MINUTE = 60_000;

type Bytes = Pick<Attachment, 'id' | 'size' | 'sha256'>;

/** Where callers send the bytes of an attachment. The length is signed too, but clients set that header themselves. */
export async function uploadOf(tenant: Tenant, { id, size, sha256 }: Bytes) {
  const checksum = Buffer.from(sha256, 'hex').toString('base64');
  const headers = { 'x-amz-checksum-sha256': checksum, 'if-none-match': '*' } as const;
  const signed = { ...headers, 'content-length': String(size) };
  const signedAt = tenant.serverTime;
  const request = { method: 'PUT', key: objectKey(tenant, id), headers: signed } as const;
  const url = await signedUrl(tenant, request, { signedAt, expiresIn: UPLOAD.seconds });
  return { url, method: 'PUT' as const, headers, expires_at: timeOf(signedAt + UPLOAD.milliseconds) };
}

/** Where callers get the bytes of an attachment. */
export async function downloadOf(tenant: Tenant, { id, name }: Pick<Attachment, 'id' | 'name'>) {
  const query = {
    'response-content-disposition': dispositionOf(name),
    'response-content-type': 'application/octet-stream',
  };
  const signedAt = Math.floor(tenant.serverTime / MINUTE) * MINUTE;
  const request = { method: 'GET', key: objectKey(tenant, id), query } as const;
  const url = await signedUrl(tenant, request, { signedAt, expiresIn: DOWNLOAD.seconds });
  return { url, expires_at: timeOf(signedAt + DOWNLOAD.seconds * 1_000) };
}

interface Signing {
  /** In epoch milliseconds. */
  readonly signedAt: number;
  /** In seconds. */
  readonly expiresIn: number;
}

const signedUrl = async (tenant: Tenant, request: ObjectRequest, signing: Signing): Promise<string> =>
  presign(bucket(), request, await presigningOf(tenant, signing));

async function presigningOf({ id, session }: Tenant, { signedAt, expiresIn }: Signing) {
  const [credentials, region] = await Promise.all([
    session.tables.credentialsOf(id, expiresIn * 1_000 + MARGIN),
    session.tables.environment.client.config.region(),
  ]);
  return { credentials, region, signingDate: new Date(signedAt), expiresIn };
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** @throws Problem `conflict` where the object is missing or differs from what was announced */
export async function requireObject(tenant: Tenant, { id, size, sha256 }: Bytes): Promise<void> {
  const headers = { 'x-amz-checksum-mode': 'ENABLED' };
  const request = { method: 'HEAD', key: objectKey(tenant, id), headers } as const;
  const { status, headers: found } = await askForObjects(tenant, request);
  // S3 says 403 of a missing object to those who may not list the bucket.
  if (status === 404 || status === 403) throw notUploaded('Its bytes have not arrived: send them to its upload first.');
  const [length, digest] = [found['content-length'], found['x-amz-checksum-sha256'] ?? ''];
  const differing = [
    ...(length === String(size) ? [] : ['size']),
    ...(Buffer.from(digest, 'base64').toString('hex') === sha256 ? [] : ['sha256']),
  ];
  if (status !== 200 || differing.length > 0) throw notUploaded(`What arrived has another ${differing.join(' and ')}.`);
}

const notUploaded = (detail: string): Problem => new Problem('conflict', { detail });

/** The longest that a request waits for the deletion of objects, in milliseconds. */
const LONGEST = 2_000;

/** Deletes an object, where there is one. */
export async function deleteObject(tenant: Tenant, key: string): Promise<void> {
  const { clock, deadline } = tenant.session;
  const limit = { clock, deadline: Math.min(deadline, clock() + LONGEST) };
  const { status } = await askForObjects(tenant, { method: 'DELETE', key }, limit);
  if (status !== 204) throw new Error(`the object store answered ${status} to a deletion`);
}

/** How long a request of ours is valid, in seconds. */
const OUR_SECONDS = 60;

/** Asks the bucket, in the tenant's session. Repeats what fails. @throws TableUnavailable where time runs out */
export const askForObjects = (tenant: Tenant, request: ObjectRequest, limit: TimeLimit = tenant.session) =>
  retry(async () => {
    const signing = { signedAt: tenant.serverTime, expiresIn: OUR_SECONDS };
    return askS3(bucket(), request, await presigningOf(tenant, signing));
  }, limit);

/** The address of the bucket; undefined where it is not known, as to an operator who works on a table alone. */
export const knownBucket = (): string | undefined => process.env.ATTACHMENTS_URL || undefined;

function bucket(): string {
  const url = knownBucket();
  if (url === undefined) throw new Error('ATTACHMENTS_URL is not set');
  return url;
}
