import { createHash } from 'node:crypto';
import { environmentPublicKeys } from '#auth';
import { type Operations, respond } from '#http';
import { codes } from '../access/codes.static.ts';
import type { wellKnown } from './contract.ts';

/** How long caches may keep the keys, in seconds: a new key is published for longer before it signs. */
const MAX_AGE = 300;

export const wellKnownOperations: Operations<typeof wellKnown> = {
  getTokenKeys: async () => published({ keys: await environmentPublicKeys() }),

  getAuthorizationServer: async ({ request: { baseUrl } }) =>
    published({
      issuer: baseUrl,
      token_endpoint: `${baseUrl}/api/v1/auth/token`,
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      // RFC 8414 §2 takes others for granted where these are missing.
      grant_types_supported: ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      response_types_supported: [],
      scopes_supported: codes,
    }),

  getProtectedResource: async ({ request: { baseUrl } }) =>
    published({
      resource: baseUrl,
      authorization_servers: [baseUrl],
      bearer_methods_supported: ['header'],
      scopes_supported: codes,
    }),
};

function published(value: object) {
  const text = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  return respond.text(text, { ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE}` });
}
