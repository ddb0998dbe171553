/** Integrations and their credentials: who logs in, signs a webhook or holds a token, and whether that is still so. */

export { type FoundIntegration, findIntegration, readPointer } from './app-codes.ts';
export { LoginAttempt } from './login-attempt.ts';
export {
  areLive,
  type Credentials,
  itemOfAppCode,
  liveCredentials,
  readCredentials,
  readCredentialsOf,
  requireCredentials,
  stageCredentials,
  stageCredentialsChange,
  stageTokensEnd,
} from './stored-credentials.ts';
