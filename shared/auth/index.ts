export { createPrivateFile, makePrivate } from '../private-file.ts';
export { encryptedCredentials, type WithEncryptedCredentials } from './encrypted-credentials.ts';
export { decryptJson, encryptJson } from './encrypted-json.ts';
export { environmentEncryption, environmentPublicKeys, environmentSigner } from './environment.ts';
export { isFirstKeyOn } from './first-key.ts';
export {
  generateSecret,
  isSecretOf,
  openSecrets,
  rotated,
  secretAmong,
  secretsUnder,
  storeSecret,
} from './integration-secrets.ts';
export { ensureLocalKeys, LocalKeysError } from './local-keys.ts';
export { checkLoginThrottle } from './login-throttle.ts';
export { SECRET_LENGTH, suppliedSecret } from './secret-policy.ts';
export { checkStrength, isStrong } from './secret-strength.ts';
export { sourceNetwork } from './source-network.ts';
export { TOKEN_LEEWAY, TOKEN_LIFETIME } from './token-times.ts';
export { InvalidToken, issueToken, type Refusal, verifyToken } from './tokens.ts';
