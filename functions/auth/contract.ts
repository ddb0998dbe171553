import * as z from 'zod';
import { body, contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';
import * as integrationSecrets from '../integrations/secrets.ts';

/** A wrong app code or secret is a 401 and not a 422, so only type and length are validated. */
const login = body('Login', () => ({
  app_code: field.identifier(100, 1).describe('Which integration logs in: as it was registered.'),
  secret: field
    .text(integrationSecrets.LENGTH.max, 1)
    .meta({ format: 'password' })
    .describe('As the registration or the last rotation showed it.'),
})).describe('The credentials of an integration.');

/** Longer than any token, which have about 500 characters. */
const MAX_TOKEN = 4_096;

const accessToken = declared(() =>
  z
    .strictObject({
      access_token: z.string().max(MAX_TOKEN).describe('A JWT to send as `Authorization: Bearer <token>`.'),
      token_type: z.literal('bearer').describe('How the token is sent: as a bearer token (RFC 6750).'),
      expires_in: z.int32().min(1).max(3600).describe('Seconds from now on in which the token is good.'),
    })
    .describe('What a login returns (RFC 6749 §5.1).')
    .meta({ id: 'AccessToken' }),
);

export const auth = contract({
  name: 'auth',
  tag: 'Authentication',
  description: 'Where an integration exchanges its app code and secret for a short-lived token.',
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
      response: ok(accessToken, 'The token. The response is not to be kept by caches.', {
        access_token:
          'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlRfb3ZtIn0.eyJ0eXBlIjoiYXBpX2tleSJ9.c2lnbmF0dXJl',
        token_type: 'bearer',
        expires_in: 3600,
      }),
      errors: ['invalid-credentials', 'organization-suspended'],
    }),
  },
});
