import * as z from 'zod';
import { contract, createOnly, crud, type RecordOf, readOnly, record, unique } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

/** Asymmetric ones alone: with the others whoever checks a token could make one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;

const MOST = { audiences: 10, domains: 50, claims: 20, characters: 500, providers: 20 } as const;
export const MOST_PROVIDERS = MOST.providers;

const DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/;

/** A domain as DNS has it, in lower case: `bücher.example` is `xn--bcher-kva.example`. */
const domain = () =>
  field
    .bounded(253)
    .overwrite((value) =>
      /^[\0-\x7f]*$/.test(value) ? value.toLowerCase() : (URL.parse(`https://${value}`)?.hostname ?? ''),
    )
    .regex(DOMAIN, { error: 'must be a domain name, such as acme.example' });

/** What is no object has an error already. */
const isFlat = (claims: object | null): boolean =>
  claims !== null &&
  Object.keys(claims).length <= MOST.claims &&
  Object.entries(claims).every(
    ([name, value]) => typeof value === 'string' && Math.max(name.length, value.length) <= MOST.characters,
  );

export const identityProvider = record('IdentityProvider', () => ({
  id: readOnly(field.uuid()),
  name: field.name(200).describe('What people call it.'),
  issuer: createOnly(
    unique(field.webAddress()).describe(
      'The `iss` of its tokens, character by character: a URL with https, of one tenant of the provider. It never ' +
        'changes; no two providers of an organization have the same.',
    ),
  ),
  audiences: field
    .list(field.identifier(MOST.characters, 1), MOST.audiences, 1)
    .describe('The values of `aud` of which a token needs one: the ids of the applications that get it.'),
  algorithms: field
    .list(z.enum(ALGORITHMS), ALGORITHMS.length, 1)
    .default(['RS256'])
    .describe('By which its tokens may be signed.'),
  email_domains: field
    .list(domain(), MOST.domains)
    .default([])
    .describe('Domains whose verified mail addresses find the user of a new identity. None: administrators link all.'),
  required_claims: field
    .jsonObject()
    .refine(isFlat, { error: `must have at most ${MOST.claims} claims, each with a text` })
    .default({})
    .meta(
      field.shownAs({
        type: 'object',
        additionalProperties: { type: 'string', maxLength: MOST.characters },
        maxProperties: MOST.claims,
        description: 'Claims that a token must have, each with exactly this text: `{"hd": "acme.example"}`.',
      }),
    ),
  status: z
    .enum(['active', 'inactive'])
    .default('active')
    .describe('`inactive`: nobody signs in through it, and tokens of those who did have ended.'),
  created_at: readOnly(field.timestamp()),
})).describe('Through what the users of an organization sign in: an OpenID provider.');
export type IdentityProvider = RecordOf<typeof identityProvider>;

const example = {
  id: '4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38',
  name: 'Acme Entra',
  issuer: 'https://login.microsoftonline.com/7c2f6f0e-5f0a-4d0c-9d58-0c6c8a1b2f3d/v2.0',
  audiences: ['0f4e2b9a-6c1d-4b7e-a3f5-8d2c9e0b1a76'],
  algorithms: ['RS256'],
  email_domains: ['acme.example'],
  required_claims: {},
  status: 'active',
  created_at: '2026-11-20T09:30:00.000Z',
};

const usual = crud(identityProvider, {
  path: '/api/v1/identity-providers',
  one: 'an identity provider',
  many: 'identity providers',
  example,
  hasEvents: false,
});

const NEEDS_ALL = 'Needs a caller with all permissions.';

export const identityProviders = contract({
  name: 'identity-providers',
  tag: 'Identity providers',
  description: 'Through what the users of an organization sign in.',
  routes: {
    listIdentityProviders: usual.list({ extension: true, query: parameter.page }),
    createIdentityProvider: usual.create({
      description: `${NEEDS_ALL} An organization has at most ${MOST_PROVIDERS}: one more is a 409.`,
      extension: true,
      privileged: true,
      bodyExample: {
        name: example.name,
        issuer: example.issuer,
        audiences: example.audiences,
        email_domains: example.email_domains,
      },
      errors: ['conflict'],
    }),
    getIdentityProvider: usual.read({ extension: true }),
    updateIdentityProvider: usual.update({
      description: NEEDS_ALL,
      extension: true,
      privileged: true,
      bodyExample: { status: 'inactive' },
    }),
    deleteIdentityProvider: usual.remove({
      description: `${NEEDS_ALL} Refused while users have identities of it: set it inactive instead.`,
      extension: true,
      privileged: true,
      errors: ['not-found', 'still-in-use'],
    }),
  },
});
