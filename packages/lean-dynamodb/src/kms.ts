import { type AwsService, type CallerClient, serviceOf } from './service.ts';

/**
 * AWS Key Management Service: https://docs.aws.amazon.com/kms/latest/APIReference/Welcome.html. Its protocol is JSON,
 * with bytes in base64.
 */
const KMS: AwsService = {
  name: 'kms',
  contentType: 'application/x-amz-json-1.1',
  errorIn: (text) => {
    const { __type: type, message, Message } = JSON.parse(text);
    return { name: type?.slice(type.lastIndexOf('#') + 1), message: message ?? Message };
  },
};

/**
 * Calls an operation of KMS. The callers know its input and output.
 * @throws ServiceException, or an error of the connection
 */
export type Kms = (operation: string, input: object) => Promise<Readonly<Record<string, string | undefined>>>;

const known = new WeakMap<CallerClient, Kms>();

/**
 * KMS with the credentials of this client, cached as long as the client exists.
 * @example const { Plaintext } = await kmsOf(client)('Decrypt', { CiphertextBlob, EncryptionContext: { tenant } })
 */
export function kmsOf(client: CallerClient): Kms {
  const kms = known.get(client) ?? newKms(client);
  known.set(client, kms);
  return kms;
}

function newKms(client: CallerClient): Kms {
  const call = serviceOf(client, KMS);
  return async (operation, input) =>
    JSON.parse(await call({ target: `TrentService.${operation}`, body: JSON.stringify(input) }));
}

/** @throws Error where there are no bytes */
export function bytesOf(base64: string | undefined): Uint8Array {
  if (base64 === undefined) throw new Error('KMS returned less than it should');
  return Buffer.from(base64, 'base64');
}
