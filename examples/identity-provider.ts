import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An identity provider for a developer's machine. It says whatever it is asked to: never let others reach it. */

const { PORT = '8090', AUDIENCE = 'custodia' } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;
const { publicKey, privateKey } = await generateKeyPair('ES256');
const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };

/** What is at a path. `/id-token?sub=ada&email=ada@example.com` is an ID token for this person. */
const answers: Readonly<Record<string, (claims: Record<string, string>) => object | Promise<string>>> = {
  '/.well-known/openid-configuration': () => ({ issuer, jwks_uri: `${issuer}/keys` }),
  '/keys': () => ({ keys: [key] }),
  '/id-token': (claims) =>
    new SignJWT({ ...claims, email_verified: true })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey),
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
  const answer = await answers[pathname]?.(Object.fromEntries(searchParams));
  if (answer === undefined) response.writeHead(404).end();
  else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
});
server.on('error', ({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('Listening on', issuer));
