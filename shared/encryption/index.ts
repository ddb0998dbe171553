export {
  type DataKeyCache,
  ENDPOINT_SECRETS,
  type EnvelopeEncryption,
  envelopeEncryption,
  type KeyPurpose,
  localDataKeys,
  StoredKeyGone,
} from './envelope-encryption.ts';
export { kmsDataKeys } from './kms-data-keys.ts';
