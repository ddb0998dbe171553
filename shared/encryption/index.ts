export {
  type DataKeyCache,
  type EnvelopeEncryption,
  envelopeEncryption,
  localDataKeys,
  StoredKeyGone,
} from './envelope-encryption.ts';
export { kmsDataKeys } from './kms-data-keys.ts';
