/** The parts of the KMS client that are used, so that the bundle stays small. Imported on first use (`kms.ts`). */
export {
  DecryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
  type KMSClientConfig,
  SignCommand,
} from '@aws-sdk/client-kms';
