import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { issuerNamedBy, keysOfProvider, verifySubjectToken } from '#auth';
import { localConnection } from '#local-dynamodb';
import { outbound } from '#outbound';
import { tableOf } from '#table';
import { freshTable } from '../support/dynamodb.ts';
import { startOidcProvider } from '../support/oidc-provider.ts';
import { openTenant } from '../support/storage.ts';

/** A provider that others wrote, with all of the way: discovery, keys, sign-in, verification. */

const ports = { send: outbound({ targets: 'loopback', timeout: 3_000 }), wait: async () => undefined };

it.each(['RS256', 'ES256'] as const)('an ID token of oidc-provider, by %s, says who signed in', async (algorithm) => {
  const { tableName, endpoint } = await freshTable();
  const tenant = openTenant(tableOf(tableName, localConnection(endpoint)), randomUUID());
  const oidc = await startOidcProvider(algorithm);
  onTestFinished(() => oidc.close());
  const provider = {
    ...{ id: randomUUID(), issuer: oidc.issuer, audiences: [oidc.clientId], algorithms: [algorithm] },
    ...{ email_domains: ['acme.example'], required_claims: {} },
  };
  const verify = (token: string) => {
    const keysOf = keysOfProvider(tenant, provider, ports);
    return verifySubjectToken(provider, token, { now: Date.now(), keysOf, kind: 'id_token' });
  };
  const person = { sub: randomUUID(), email: 'Ann@Acme.example', email_verified: true, name: 'Ann' };
  const [token, second] = [await oidc.signIn(person), await oidc.signIn({ ...person, email_verified: false })];
  expect(issuerNamedBy(token)).toBe(oidc.issuer);
  const { digest, ...verified } = await verify(token);
  const { sub: subject, email } = person;
  expect(verified).toEqual({ subject, email, expiresAt: expect.any(Number) });
  const other = await verify(second);
  expect([other.subject, other.email, other.digest === digest]).toEqual([subject, undefined, false]);
});
