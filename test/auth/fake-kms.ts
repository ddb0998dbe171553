import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { createServer } from 'node:http';
import { listening } from '../support/listening.ts';

/** A KMS of its own for a test, over HTTP as the SDK speaks it (JSON 1.1): four operations, with encryption contexts that count. */
export interface FakeKms {
  readonly endpoint: string;
  /** The operations called so far. */
  readonly calls: string[];
  /** The encryption contexts that were named so far. */
  readonly contexts: object[];
  readonly stop: () => void;
}

type Input = Record<string, never> & {
  KeyId: string;
  Message: string;
  CiphertextBlob: string;
  EncryptionContext?: object;
};
type Operation = (input: Input) => object;

class Refused extends Error {}

export async function startFakeKms(): Promise<FakeKms> {
  const operations = operationsOf(new Map<string, KeyObject>());
  const calls: string[] = [];
  const contexts: object[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    calls.push(operation);
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    try {
      const input = JSON.parse(Buffer.concat(chunks).toString());
      if (input.EncryptionContext !== undefined) contexts.push(input.EncryptionContext);
      reply(200, operations[operation]?.(input) ?? {});
    } catch (error) {
      reply(400, { __type: (error as Error).message });
    }
  });
  return { endpoint: await listening(server), calls, contexts, stop: () => server.close() };
}

function operationsOf(keys: Map<string, KeyObject>): Readonly<Record<string, Operation>> {
  const master = randomBytes(32);
  const keyOf = (id: string): KeyObject => {
    const made = id.startsWith('p256')
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('ed25519');
    const key = keys.get(id) ?? made.privateKey;
    keys.set(id, key);
    return key;
  };
  return {
    GetPublicKey: ({ KeyId }) => {
      if (KeyId.startsWith('disabled')) throw new Refused('DisabledException');
      const spki = createPublicKey(keyOf(KeyId).export({ format: 'pem', type: 'pkcs8' }));
      return { PublicKey: spki.export({ format: 'der', type: 'spki' }).toString('base64') };
    },
    Sign: ({ KeyId, Message }) => {
      const digest = KeyId.startsWith('p256') ? 'sha256' : null;
      return { Signature: sign(digest, Buffer.from(Message, 'base64'), keyOf(KeyId)).toString('base64') };
    },
    GenerateDataKey: ({ EncryptionContext }) => {
      const key = randomBytes(32);
      return { Plaintext: key.toString('base64'), CiphertextBlob: wrap(master, key, EncryptionContext) };
    },
    Decrypt: ({ CiphertextBlob, EncryptionContext }) => ({
      Plaintext: unwrap(master, CiphertextBlob, EncryptionContext),
    }),
  };
}

function wrap(master: Buffer, key: Buffer, context: object | undefined): string {
  const cipher = createCipheriv('aes-256-gcm', master, Buffer.alloc(12));
  cipher.setAAD(Buffer.from(JSON.stringify(context)));
  return Buffer.concat([cipher.update(key), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

function unwrap(master: Buffer, blob: string, context: object | undefined): string {
  const bytes = Buffer.from(blob, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', master, Buffer.alloc(12));
  decipher.setAAD(Buffer.from(JSON.stringify(context)));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('base64');
  } catch {
    throw new Refused('InvalidCiphertextException');
  }
}
