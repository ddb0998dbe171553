import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

/** A client that others wrote gets a token: panva's oauth4webapi, with its own discovery and checks. */

const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());

/** The tests' API has no TLS. */
const options = () => ({ [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetchOf });
const fetchOf = (url: string, init: object = {}) => api.fetch(url, init);

async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(api.url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options() });
  return oauth.processDiscoveryResponse(issuer, response);
}

describe('oauth4webapi', () => {
  it.each([
    ['Basic', oauth.ClientSecretBasic],
    ['the body', oauth.ClientSecretPost],
  ])('gets a narrowed token that works, with the secret in %s', async (_, method) => {
    const [server, client] = [await discovered(), { client_id: org.appCode }];
    const parameters = new URLSearchParams({ scope: 'clients:read' });
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      method(org.secret),
      parameters,
      options(),
    );
    const { access_token, scope } = await oauth.processClientCredentialsResponse(server, client, response);
    expect(scope).toBe('clients:read');
    const asked = (path: string) =>
      oauth.protectedResourceRequest(access_token, 'GET', new URL(path, api.url), undefined, undefined, options());
    expect((await asked('/api/v1/clients')).status).toBe(200);
    expect((await asked('/api/v1/tickets')).status).toBe(403);
  });

  it('understands a refusal', async () => {
    const [server, client] = [await discovered(), { client_id: org.appCode }];
    const refused = async (secret: string, scope: string) => {
      const method = oauth.ClientSecretBasic(secret);
      const response = await oauth.clientCredentialsGrantRequest(server, client, method, { scope }, options());
      return oauth.processClientCredentialsResponse(server, client, response);
    };
    await expect(refused(org.secret, 'no:such')).rejects.toMatchObject({ error: 'invalid_scope', status: 400 });
    await expect(refused('wrong', '')).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
  });

  it('finds the service that issues the tokens by the challenge of a 401', async () => {
    const url = new URL('/api/v1/clients', api.url);
    const asked = oauth.protectedResourceRequest('a.b.c', 'GET', url, undefined, undefined, options());
    const refusal = await asked.catch((error: unknown) => error);
    if (!(refusal instanceof oauth.WWWAuthenticateChallengeError)) throw refusal;
    const address = String(refusal.cause[0]?.parameters.resource_metadata);
    expect(address).toBe(`${api.url}/.well-known/oauth-protected-resource`);
    const resource = new URL(api.url);
    const metadata = await oauth.processResourceDiscoveryResponse(resource, await fetchOf(address));
    expect(metadata.authorization_servers).toEqual([api.url]);
  });
});

it('the metadata of the two names the same permissions, and every grant that there is', async () => {
  const read = async (name: string) => (await api.request('GET', `/.well-known/${name}`)).body;
  const [server, resource] = await Promise.all([read('oauth-authorization-server'), read('oauth-protected-resource')]);
  expect(server.scopes_supported).toEqual(resource.scopes_supported);
  const { data } = (await api.request('GET', '/api/v1/permissions?page_size=200', { token: org.token })).body;
  expect(server.scopes_supported).toEqual((data as { code: string }[]).map(({ code }) => code));
  const refused = await api.request('POST', '/api/v1/auth/token', { body: { grant_type: 'x' } });
  for (const grant of server.grant_types_supported as string[]) expect(refused.body.error_description).toContain(grant);
});
