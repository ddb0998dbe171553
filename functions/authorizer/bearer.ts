import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';

type Headers = Pick<APIGatewayRequestAuthorizerEvent, 'headers' | 'multiValueHeaders'>;

/** Credentials that cannot be a token of this service, whatever the time. */
export interface NoToken {
  readonly reason: 'malformed' | 'secret';
  /** What is wrong with them. It repeats nothing that was sent, which may be a secret. */
  readonly detail: string;
}

/** The credentials in a request: a token, none, more than one header, or something else. */
export type Presented = { readonly token: string } | 'none' | 'several' | NoToken;

/**
 * The bearer token of a request (RFC 6750 §2.1). A caller that sends an empty header or two headers does not mean to be
 * anonymous.
 */
export function bearerOf(event: Headers): Presented {
  const [value, ...others] = authorizationOf(event);
  if (value === undefined) return 'none';
  if (others.length > 0) return 'several';
  const found = NO_TOKENS.find(({ form }) => form.test(value));
  if (found !== undefined) return found;
  const token = BEARER.exec(value)?.[1];
  return token === undefined ? NOT_ONE_TOKEN : { token };
}

/**
 * The scheme is case-insensitive (RFC 9110 §11.1). Any single word after it is a token, perhaps a wrong one. A comma
 * separates two.
 */
const BEARER = /^bearer +([^\s,]+)$/i;

const NOT_ONE_TOKEN: NoToken = {
  reason: 'malformed',
  detail: 'The header Authorization has to be the word Bearer, a space and one token.',
};

/** Usual mistakes, the first of which counts. Secrets begin as `integrations/secrets.ts` makes them. */
const NO_TOKENS: readonly (NoToken & { readonly form: RegExp })[] = [
  {
    form: /^(\w+ +)?cst_/i,
    reason: 'secret',
    detail: 'The header Authorization has the secret of an integration in place of an access token.',
  },
  { form: /^bearer +bearer\b/i, reason: 'malformed', detail: 'The header Authorization has the word Bearer twice.' },
  {
    form: /^(?!bearer\b)\S+$/i,
    reason: 'malformed',
    detail: 'The header Authorization lacks the word Bearer before the token.',
  },
  {
    form: /^(?!bearer\b)\S+ /i,
    reason: 'malformed',
    detail: 'The header Authorization has another scheme than Bearer.',
  },
];

function authorizationOf({ headers, multiValueHeaders }: Headers): string[] {
  const all = valuesOf(multiValueHeaders).flat();
  return all.length > 0 ? all : valuesOf(headers);
}

const valuesOf = <T>(headers: Readonly<Record<string, T | undefined>> | null): T[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' && value !== undefined ? [value] : [],
  );
