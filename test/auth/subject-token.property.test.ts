import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { issuerNamedBy, SubjectTokenRefused, verifySubjectToken } from '#auth';
import { codePoint } from '../support/code-point.ts';
import { CLAIMS, encoded, NOW, PROVIDER, providerKey, SECONDS, signatureOf, signedBy } from './subject-tokens.ts';

const ours = providerKey('one');
const theirs = providerKey('one');

/** Whether a token is accepted. Everything but a refusal of the token is a failure of the test. */
const isAccepted = (token: string, kind: 'id_token' | 'access_token' = 'id_token'): Promise<boolean> =>
  verifySubjectToken(PROVIDER, token, { now: NOW, keysOf: async () => [ours.jwk], kind }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof SubjectTokenRefused) return false;
      throw error;
    },
  );

const json = fc.jsonValue({ maxDepth: 2 });

describe('a token', () => {
  it('may be any text at all, and is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint }), fc.array(json, { maxLength: 4 }), async (text, values) => {
        for (const token of [text, values.map(encoded).join('.'), `${text}.${text}.${text}`]) {
          expect(await isAccepted(token)).toBe(false);
          try {
            issuerNamedBy(token);
          } catch (error) {
            expect(error).toBeInstanceOf(SubjectTokenRefused);
          }
        }
      }),
    );
  });

  it('may have any header and claims, signed by the provider: nothing fails, and no key of others is taken', async () => {
    const header = fc.record(
      { alg: json, typ: json, kid: json, crit: json, b64: json, jwk: json, x: json },
      { requiredKeys: [] },
    );
    const names = ['iss', 'aud', 'azp', 'sub', 'iat', 'exp', 'nbf', 'email', 'email_verified', 'name', 'events'];
    const claims = fc.dictionary(fc.constantFrom(...names), json);
    await fc.assert(
      fc.asyncProperty(header, claims, async (ofHeader, ofClaims) => {
        await isAccepted(signedBy(ours, ofClaims, ofHeader));
        expect(await isAccepted(signedBy(theirs, ofClaims, ofHeader))).toBe(false);
      }),
    );
  });

  it('with any one character changed is refused', async () => {
    const token = signedBy(ours);
    const place = fc.nat({ max: token.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...'AZaz09-_.='), async (index, character) => {
        fc.pre(token[index] !== character);
        expect(await isAccepted(`${token.slice(0, index)}${character}${token.slice(index + 1)}`)).toBe(false);
      }),
    );
  });
});

describe('the rules of claims', () => {
  it('of time: it has begun, ten minutes ago at most, and has not ended', async () => {
    const offset = fc.oneof(fc.integer({ min: -700, max: 700 }), fc.constantFrom(-601, -600, 0, 1, 60, 61));
    await fc.assert(
      fc.asyncProperty(offset, offset, fc.option(offset, { nil: undefined }), async (iat, exp, nbf) => {
        const times = { iat: SECONDS + iat, exp: SECONDS + exp, nbf: nbf === undefined ? nbf : SECONDS + nbf };
        const isGood = iat >= -600 && iat <= 60 && exp > 0 && (nbf === undefined || nbf <= 60);
        expect(await isAccepted(signedBy(ours, times))).toBe(isGood);
      }),
    );
  });

  it('of audiences: one is ours, and of several the authorized party is, too', async () => {
    const audience = fc.constantFrom('custodia', 'custodia-cli', 'other', 'another');
    const isOurs = (text: unknown): boolean => text === 'custodia' || text === 'custodia-cli';
    const azp = fc.option(audience, { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(audience, { maxLength: 3 }), azp, async (aud, party) => {
        const isGood = aud.some(isOurs) && (aud.length === 1 || isOurs(party));
        expect(await isAccepted(signedBy(ours, { aud, azp: party }))).toBe(isGood);
        if (aud.length === 1) expect(await isAccepted(signedBy(ours, { aud: aud[0], azp: party }))).toBe(isGood);
      }),
    );
  });

  it('of the issuer: no other text is it', async () => {
    const near = fc
      .constantFrom('/', '?', '#', ' ', '\u0000', '%2f')
      .chain((text) => fc.nat().map((n) => ({ text, n })));
    await fc.assert(
      fc.asyncProperty(near, async ({ text, n }) => {
        const place = n % (PROVIDER.issuer.length + 1);
        const iss = `${PROVIDER.issuer.slice(0, place)}${text}${PROVIDER.issuer.slice(place)}`;
        expect(await isAccepted(signedBy(ours, { iss }))).toBe(false);
      }),
    );
  });

  it('of mail addresses: only true verifies, and only listed domains count', async () => {
    const domain = fc.constantFrom(
      'acme.example',
      'ACME.EXAMPLE',
      'rival.example',
      'x.acme.example',
      'acme.example.org',
    );
    await fc.assert(
      fc.asyncProperty(domain, fc.oneof(json, fc.constant(true)), async (of, email_verified) => {
        const token = signedBy(ours, { email: `ann@${of}`, email_verified });
        const { email } = await verifySubjectToken(PROVIDER, token, {
          ...{ now: NOW, keysOf: async () => [ours.jwk], kind: 'id_token' },
        });
        expect(email !== undefined).toBe(email_verified === true && of.toLowerCase() === 'acme.example');
      }),
    );
  });

  it('of digests: two contents have two, whatever their signatures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (one, other) => {
        fc.pre(one !== other);
        const digestOf = async (jti: number) => {
          const content = `${encoded({ alg: 'EdDSA', kid: 'one' })}.${encoded({ ...CLAIMS, jti })}`;
          const token = `${content}.${signatureOf(content, ours.privateKey)}`;
          const options = { now: NOW, keysOf: async () => [ours.jwk], kind: 'access_token' } as const;
          return (await verifySubjectToken(PROVIDER, token, options)).digest;
        };
        expect(await digestOf(one)).not.toBe(await digestOf(other));
      }),
      { numRuns: 20 },
    );
  });
});
