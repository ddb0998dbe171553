export { encryptedCredentials } from './encrypted-credentials.ts';
export { encryptedJson } from './encrypted-json.ts';
export { ENDPOINT_SECRETS, StoredKeyGone } from './envelope-encryption.ts';
export { environmentEncryption, environmentPublicKeys } from './environment.ts';
export { ensureLocalKeys } from './local-keys.ts';
export { ThrottledLogin } from './login-throttle.ts';
export { recordEscalation } from './refusals.ts';
export { InvalidToken, issueToken, TOKEN_TIMES, verifyToken } from './tokens.ts';
