import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce: `nonce | ciphertext | tag`. */

const NONCE = 12;
const TAG = 16;

/** `associated` is authenticated but not part of the ciphertext: decryption needs the same text. */
export function encrypt(key: Uint8Array, plaintext: string, associated: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(associated));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
}

/** @throws Error when the key, the associated text or any byte differs */
export function decrypt(key: Uint8Array, encrypted: Buffer, associated: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(encrypted.subarray(-TAG));
  return Buffer.concat([decipher.update(encrypted.subarray(NONCE, -TAG)), decipher.final()]).toString('utf8');
}
