import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';

type Headers = Pick<APIGatewayRequestAuthorizerEvent, 'headers' | 'multiValueHeaders'>;

/** The credentials in a request: a token, none, or malformed ones. */
export type Presented = { readonly token: string } | 'none' | 'malformed';

/**
 * The bearer token of a request (RFC 6750 §2.1). An empty header and two headers are malformed and not none: a caller that sends credentials,
 * even empty ones, does not mean to be anonymous.
 */
export function bearerOf(event: Headers): Presented {
  const values = authorizationOf(event);
  if (values.length === 0) return 'none';
  const token = values.length === 1 ? BEARER.exec(values[0] ?? '')?.[1] : undefined;
  return token === undefined ? 'malformed' : { token };
}

/**
 * The scheme is case-insensitive (RFC 9110 §11.1). Any single word after it is a token, perhaps a wrong one. A comma
 * separates two.
 */
const BEARER = /^bearer +([^\s,]+)$/i;

function authorizationOf({ headers, multiValueHeaders }: Headers): string[] {
  const all = valuesOf(multiValueHeaders).flat();
  return all.length > 0 ? all : valuesOf(headers);
}

const valuesOf = <T>(headers: Readonly<Record<string, T | undefined>> | null): T[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' && value !== undefined ? [value] : [],
  );
