import { hash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import { listening } from './listening.ts';

/** A real OpenID provider (panva's `oidc-provider`) on this machine, in whose login page nobody has to type. */

interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface OidcProvider {
  readonly issuer: string;
  /** The audience of its ID tokens. */
  readonly clientId: string;
  /** Somebody signs in with a browser (authorization code, PKCE, consent as granted). @returns the ID token */
  readonly signIn: (person: Person) => Promise<string>;
  readonly close: () => Promise<void>;
}

const REDIRECT_URI = 'https://app.example/signed-in';
const MOST_HOPS = 6;
const SCOPE = 'openid email profile';

/** @param algorithm of its key */
export async function startOidcProvider(algorithm: 'RS256' | 'ES256' = 'RS256'): Promise<OidcProvider> {
  const server = createServer((request, response) => void handle(request, response));
  const issuer = await listening(server);
  const clientId = 'custodia';
  const people = new Map<string, Person>();
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: algorithm,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig' }] },
    // The adapter itself would warn that it is for development.
    adapter: class extends MemoryAdapter {},
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => people.get(accountId) }),
    loadExistingGrant: async ({ oidc }: { oidc: { session: { accountId: string }; client: { clientId: string } } }) => {
      const { session, client } = oidc;
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 3_600 },
    interactions: { url: () => '/login' },
  });
  const callback = provider.callback();
  const handle: typeof callback = async (request, response) => {
    if (request.url !== '/login') return callback(request, response);
    const { params } = await provider.interactionDetails(request, response);
    return provider.interactionFinished(request, response, { login: { accountId: params.login_hint } });
  };
  const signIn = async (person: Person): Promise<string> => {
    people.set(person.sub, person);
    const verifier = randomBytes(32).toString('base64url');
    const asked = { client_id: clientId, redirect_uri: REDIRECT_URI, response_type: 'code', scope: SCOPE };
    const pkce = { code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' };
    // Without a nonce, two tokens of a second would be the same.
    const nonce = randomBytes(8).toString('hex');
    const query = new URLSearchParams({ ...asked, ...pkce, nonce, login_hint: person.sub });
    const code = await codeOf(`${issuer}/auth?${query}`);
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', client_id: clientId, redirect_uri: REDIRECT_URI },
      ...{ code, code_verifier: verifier },
    });
    const response = await fetch(`${issuer}/token`, { method: 'POST', body });
    const { id_token: token } = (await response.json()) as { readonly id_token?: string };
    if (token === undefined) throw new Error(`no ID token: ${response.status}`);
    return token;
  };
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { issuer, clientId, signIn, close };
}

/** Follows redirects as a browser does, with its cookies, up to the application. @returns the authorization code */
async function codeOf(start: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let hop = 0; hop < MOST_HOPS && !url.href.startsWith(REDIRECT_URI); hop++) {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const [, name = '', value = ''] of response.headers
      .getSetCookie()
      .map((text) => /^([^=]+)=([^;]*)/.exec(text) ?? []))
      cookies.set(name, value);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the provider stopped at ${url.pathname}: ${response.status}`);
    url = new URL(location, url);
  }
  const code = url.searchParams.get('code');
  if (code === null) throw new Error(`the provider gave no code: ${url.searchParams}`);
  return code;
}
