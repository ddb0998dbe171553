import * as z from 'zod';
import { body, contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';
import * as integrationSecrets from '../integrations/secrets.ts';

/** A wrong app code or secret is a 401 and not a 422, so only type and length are validated. */
export const login = body('Login', () => ({
  app_code: field.identifier(100, 1).describe('Which integration logs in: as it was registered.'),
  secret: field
    .text(integrationSecrets.LENGTH.max, 1)
    .meta({ format: 'password' })
    .describe('As the registration or the last rotation showed it.'),
})).describe('The credentials of an integration.');

/** Longer than any token, which have about 500 characters. */
const MAX_TOKEN = 4_096;

const tokenFields = () => ({
  access_token: z.string().max(MAX_TOKEN).describe('A JWT to send as `Authorization: Bearer <token>`.'),
  token_type: z.literal('bearer').describe('How the token is sent: as a bearer token (RFC 6750).'),
  expires_in: z.int32().min(1).max(3600).describe('Seconds from now on in which the token is good.'),
});

const accessToken = declared(() =>
  z.strictObject(tokenFields()).describe('What a login returns (RFC 6749 §5.1).').meta({ id: 'AccessToken' }),
);

/** Longer than all permissions together. */
const MAX_SCOPE = 4_096;

const scope = () =>
  field
    .text(MAX_SCOPE)
    .optional()
    .meta({ examples: ['clients:read tickets:write'] });

/** In characters. */
const MAX_SUBJECT_TOKEN = 16_384;

export const tokenRequest = body('TokenRequest', () => ({
  grant_type: field
    .text(100, 1)
    .meta({ examples: ['client_credentials'] })
    .describe(
      'How the client gets the token: `client_credentials`, as an integration (RFC 6749 §4.4), or ' +
        '`urn:ietf:params:oauth:grant-type:token-exchange`, for a user (RFC 8693).',
    ),
  client_id: field
    .identifier(100)
    .optional()
    .meta({ examples: ['acme-billing'] })
    .describe('App code of the integration, where no header has it.'),
  client_secret: field
    .text(integrationSecrets.LENGTH.max)
    .optional()
    .meta({ format: 'password', examples: ['cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ'] })
    .describe('Secret of the integration, where no header has it.'),
  scope: scope().describe(
    'To get a token that may do less: permissions of the integration, with a space between two (RFC 6749 §3.3).',
  ),
  subject_token: field
    .text(MAX_SUBJECT_TOKEN, 1)
    .optional()
    .meta({ examples: ['eyJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'] })
    .describe('For an exchange: an ID token, or an access token that is a JWT, of an identity provider.'),
  subject_token_type: field
    .text(100, 1)
    .optional()
    .meta({ examples: ['urn:ietf:params:oauth:token-type:id_token'] })
    .describe('What it is: `urn:ietf:params:oauth:token-type:id_token`, or `…:jwt` for an access token.'),
  organization: field
    .identifier(100, 1)
    .optional()
    .meta({ examples: ['acme-lda'] })
    .describe('For an exchange: the organization of the user, by its id or its slug.'),
  actor_token: field
    .text(MAX_SUBJECT_TOKEN)
    .optional()
    .meta({ examples: [''] })
    .describe('Not known here.'),
})).describe('A request for a token (RFC 6749 §4). Other parameters are ignored.');

export const accessTokenResponse = declared(() =>
  z
    .strictObject({
      ...tokenFields(),
      scope: scope().describe('The permissions to which the token is narrowed, where the request had a `scope`.'),
      issued_token_type: field
        .text(100)
        .optional()
        .meta({ examples: ['urn:ietf:params:oauth:token-type:access_token'] })
        .describe('Of an exchange: that the token is an access token (RFC 8693 §2.2.1).'),
    })
    .describe('A token as OAuth returns it (RFC 6749 §5.1).')
    .meta({ id: 'AccessTokenResponse' }),
);

/** An ID token is longer than all other parameters, and a form encodes little of it. In bytes. */
const MAX_TOKEN_REQUEST = 20_480;

const TOKEN_EXAMPLE = {
  access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlRfb3ZtIn0.eyJ0eXBlIjoiYXBpX2tleSJ9.c2lnbmF0dXJl',
  token_type: 'bearer',
  expires_in: 3600,
} as const;

export const auth = contract({
  name: 'auth',
  tag: 'Authentication',
  description: 'Where integrations and users get short-lived tokens.',
  mainOperation: 'login',
  routes: {
    login: route('POST', '/api/v1/auth/login', {
      summary: 'Log in as an integration',
      description:
        'The token is good for an hour. A wrong app code, a wrong secret and an inactive integration all get the ' +
        'same response. After several failures, logins with this app code from this address have to wait: ' +
        '`Retry-After` says how long. With the right secret, an integration of a suspended organization gets a ' +
        '403.',
      auth: 'none',
      body: login,
      bodyExample: { app_code: 'acme-billing', secret: 'cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ' },
      response: ok(accessToken, 'The token. The response is not to be kept by caches.', TOKEN_EXAMPLE),
      errors: ['invalid-credentials', 'organization-suspended'],
    }),
    requestToken: route('POST', '/api/v1/auth/token', {
      summary: 'Request a token with OAuth',
      description:
        'The token endpoint of OAuth 2.0 (RFC 6749 §3.2), for tools and libraries that know it: the same token as ' +
        'that of a login, under the same limits. `client_id` is the app code. It and the secret are in the header ' +
        '`Authorization: Basic`, or in the body, and not in both. With `scope` the token may do less: what both the ' +
        'scope and the integration have. A token exchange (RFC 8693) gives a user a token for the one of its ' +
        'identity provider: it ends with that one, after an hour at the latest. Errors have the form of RFC 6749 ' +
        '§5.2; what the gateway refuses by itself is problem details.',
      extension: true,
      auth: 'none',
      oauth: true,
      maxBody: MAX_TOKEN_REQUEST,
      body: tokenRequest,
      bodyExample: { grant_type: 'client_credentials', scope: 'clients:read' },
      response: ok(accessTokenResponse, 'The token. The response is not to be kept by caches.', {
        ...TOKEN_EXAMPLE,
        scope: 'clients:read',
      }),
      errors: ['invalid-credentials', 'organization-suspended'],
    }),
  },
});
