import * as z from 'zod';
import { contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';

/** A public key of tokens (RFC 7517 §4; RFC 8037 §2 for `OKP`, RFC 7518 §6.2 for `EC`). */
const publicKey = () =>
  z
    .strictObject({
      kty: z.enum(['OKP', 'EC']).describe('Kind of the key: `OKP` for Ed25519, `EC` for P-256.'),
      crv: z.enum(['Ed25519', 'P-256']).describe('The elliptic curve of the key.'),
      x: field.text(64, 1).describe('The key itself, or its first coordinate, in base64url.'),
      y: field
        .text(64, 1)
        .optional()
        .meta({ examples: ['4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM'] })
        .describe('Second coordinate of an `EC` key, in base64url.'),
      kid: field.text(64, 1).describe('Id of the key, as in the header of the tokens that it signed.'),
      alg: z.enum(['EdDSA', 'ES256']).describe('The one algorithm that the key is used with.'),
      use: z.literal('sig').describe('That it checks signatures.'),
    })
    .describe('A public key with which tokens are checked (RFC 7517 §4).')
    .meta({ id: 'TokenKey' });

const keySet = declared(() =>
  z
    .strictObject({ keys: z.array(publicKey()).max(10).describe('One key, or two while one replaces the other.') })
    .describe('The keys that tokens may be signed with (RFC 7517 §5).')
    .meta({ id: 'TokenKeySet' }),
);

const MOST_SCOPES = 200;
const address = (path: string) => field.text(2_000).meta({ examples: [`https://api.example.com${path}`] });
const words = (example: string) => z.array(field.text(200).meta({ examples: [example] })).max(10);
const scopes = () =>
  z
    .array(field.text(81).meta({ examples: ['clients:read'] }))
    .max(MOST_SCOPES)
    .describe('Every permission, to which a token can be narrowed by `scope`.');

const authorizationServer = declared(() =>
  z
    .strictObject({
      issuer: address('').describe('The address of this service as it was called, before `/.well-known`.'),
      token_endpoint: address('/api/v1/auth/token').describe('Where clients request tokens.'),
      jwks_uri: address('/.well-known/jwks.json').describe('Where the keys of tokens are.'),
      grant_types_supported: words('client_credentials').describe('The values that `grant_type` may have.'),
      token_endpoint_auth_methods_supported: words('client_secret_basic').describe('How clients say who they are.'),
      response_types_supported: words('code').describe('None: there is no authorization endpoint.'),
      scopes_supported: scopes(),
    })
    .describe('Metadata of an authorization server (RFC 8414 §2).')
    .meta({ id: 'AuthorizationServer' }),
);

const protectedResource = declared(() =>
  z
    .strictObject({
      resource: address('').describe('The address of this service as it was called, before `/.well-known`.'),
      authorization_servers: z.array(address('')).max(10).describe('Who issues its tokens: the service itself.'),
      bearer_methods_supported: words('header').describe('Where a request has its token.'),
      scopes_supported: scopes(),
    })
    .describe('Metadata of a protected resource (RFC 9728 §2).')
    .meta({ id: 'ProtectedResource' }),
);

const BASE = 'https://api.example.com';

export const wellKnown = contract({
  name: 'well-known',
  tag: 'Token keys',
  description: 'The keys with which anyone can check an access token of this service, and where clients get one.',
  routes: {
    getTokenKeys: route('GET', '/.well-known/jwks.json', {
      summary: 'Read the token keys',
      description:
        'A JWK set (RFC 7517). It holds two keys while one replaces the other: the new one is published before it ' +
        'signs, the old one until its last token has expired.',
      extension: true,
      auth: 'none',
      response: ok(keySet, 'The keys whose tokens are taken.', {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            alg: 'EdDSA',
            use: 'sig',
          },
        ],
      }),
    }),
    getAuthorizationServer: route('GET', '/.well-known/oauth-authorization-server', {
      summary: 'Read where clients get tokens',
      description:
        'What libraries of OAuth ask for first (RFC 8414). A stage without a domain name of its own has it below its ' +
        'path, `/prod/.well-known/…`, where RFC 8414 does not look for it.',
      extension: true,
      auth: 'none',
      response: ok(authorizationServer, 'The metadata.', {
        issuer: BASE,
        token_endpoint: `${BASE}/api/v1/auth/token`,
        jwks_uri: `${BASE}/.well-known/jwks.json`,
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        response_types_supported: [],
        scopes_supported: ['clients:read', 'clients:write'],
      }),
    }),
    getProtectedResource: route('GET', '/.well-known/oauth-protected-resource', {
      summary: 'Read who issues its tokens',
      description: 'What a client of an unknown API asks for (RFC 9728): here the service issues its tokens itself.',
      extension: true,
      auth: 'none',
      response: ok(protectedResource, 'The metadata.', {
        resource: BASE,
        authorization_servers: [BASE],
        bearer_methods_supported: ['header'],
        scopes_supported: ['clients:read', 'clients:write'],
      }),
    }),
  },
});
