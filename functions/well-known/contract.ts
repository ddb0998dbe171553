import * as z from 'zod';
import { text } from '../../shared/contract/fields.ts';
import { declared } from '../../shared/contract/record.ts';
import { contract, ok, route } from '../../shared/contract/route.ts';

/** A public key of tokens (RFC 7517 §4; RFC 8037 §2 for `OKP`, RFC 7518 §6.2 for `EC`). */
const publicKey = () =>
  z
    .strictObject({
      kty: z.enum(['OKP', 'EC']).describe('Kind of the key.'),
      crv: z.enum(['Ed25519', 'P-256']).describe('Its curve.'),
      x: text(64, 1).describe('The key itself, or its first coordinate.'),
      y: text(64, 1).optional().describe('Second coordinate of an `EC` key.'),
      kid: text(64, 1).describe('Id of the key, as in the header of the tokens that it signed.'),
      alg: z.enum(['EdDSA', 'ES256']).describe('The one algorithm that the key is used with.'),
      use: z.literal('sig'),
    })
    .meta({ id: 'TokenKey' });

const keySet = declared(() => z.strictObject({ keys: z.array(publicKey()).max(10) }).meta({ id: 'TokenKeySet' }));

export const wellKnown = contract({
  name: 'well-known',
  tag: 'Token keys',
  description: 'The keys with which anyone can check an access token of this service.',
  routes: {
    getTokenKeys: route('GET', '/.well-known/jwks.json', {
      summary: 'Read the token keys',
      description:
        'A JWK set (RFC 7517). It holds two keys while one replaces the other: the new one is published before it signs, the old one until its last token has expired.',
      completion: true,
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
