/** Of the KMS client what is used here, and no more: this module is loaded when first needed (`kms.ts`), and bundled as it stands. */
export {
  DecryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms';
