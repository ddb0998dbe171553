import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';

type Headers = Pick<APIGatewayRequestAuthorizerEvent, 'headers' | 'multiValueHeaders'>;

/** What a request says of its caller: a token, nothing, or something that is no token. */
export type Presented = { readonly token: string } | 'none' | 'malformed';

/**
 * The bearer token of a request (RFC 6750 §2.1). A header that is there but empty, and two of them, are malformed and not
 * none: whoever sends a key, even an empty one, does not mean to be an anonymous caller.
 */
export function bearerOf(event: Headers): Presented {
  const values = authorizationOf(event);
  if (values.length === 0) return 'none';
  const token = values.length === 1 ? BEARER.exec(values[0] ?? '')?.[1] : undefined;
  return token === undefined ? 'malformed' : { token };
}

/** The scheme in any case (RFC 9110 §11.1), spaces, then one token of the characters that a JWT has. */
const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

function authorizationOf({ headers, multiValueHeaders }: Headers): string[] {
  const all = valuesOf(multiValueHeaders).flat();
  return all.length > 0 ? all : valuesOf(headers);
}

const valuesOf = <T>(headers: Readonly<Record<string, T | undefined>> | null): T[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' && value !== undefined ? [value] : [],
  );
