import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * A self-signed certificate (RFC 5280) for a name, or for 127.0.0.1, new for each run. Node makes keys and signatures
 * but no certificates, and a private key does not belong into the repository.
 */
export function selfSigned(host?: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from(host ?? '127.0.0.1')))));
  const alternative = host === undefined ? der(0x87, Buffer.from([127, 0, 0, 1])) : der(0x82, Buffer.from(host));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time('2000-01-01'), time('2049-12-31')),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, sequence(alternative))))),
  );
  const signature = sign('sha256', signed, privateKey);
  const certificate = sequence(signed, ECDSA_WITH_SHA256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate
      .toString('base64')
      .replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
  };
}

/** A value with its tag and length (X.690), shorter than 64 KB. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: readonly Buffer[]): Buffer => der(0x30, ...contents);
const set = (...contents: readonly Buffer[]): Buffer => der(0x31, ...contents);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
/** `491231000000Z`: the widest range there is, because OpenSSL has the machine's clock, whatever the tests' clock is. */
const time = (day: string): Buffer => der(0x17, Buffer.from(`${day.replaceAll('-', '').slice(2)}000000Z`));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const SUBJECT_ALT_NAME = oid('551d11');
