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

export const wellKnown = contract({
  name: 'well-known',
  tag: 'Token keys',
  description: 'The keys with which anyone can check an access token of this service.',
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
  },
});
