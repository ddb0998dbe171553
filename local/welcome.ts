import type { LocalApi } from './start.ts';

/**
 * The message of `npm start` when it is ready: address, key, and three lines to paste into a shell. It does not contain
 * a given secret, because output ends in logs.
 */
export const welcome = ({ url, storage, platform }: LocalApi, seconds: number): string => `
Custodia is ready at ${url} (in ${seconds.toFixed(1)} s)

  platform app code  ${platform.appCode}
  platform secret    ${platform.isSecretGiven ? 'as given in PLATFORM_SECRET' : platform.secret}
  data               ${storage}
  documentation      ${url}/api/v1/docs
  OpenAPI            ${url}/api/v1/openapi

Log in, create an organization, list them all${platform.isSecretGiven ? ' (the shell needs PLATFORM_SECRET)' : ''}:

${tryOut(url, platform).join('\n')}

npm run seed fills a demo organization, README.md has a tour of five minutes. Ctrl-C stops it.
`;

const tryOut = (url: string, { appCode, secret, isSecretGiven }: LocalApi['platform']): string[] => {
  const json = `-H 'Content-Type: application/json'`;
  const token = `-H "Authorization: Bearer $TOKEN"`;
  const login = `curl -sS ${url}/api/v1/auth/login ${json}`;
  // Node encodes the variable as JSON, whatever characters it contains.
  const loggedIn = isSecretGiven
    ? `node -p ${quoted(`JSON.stringify({app_code:"${appCode}",secret:process.env.PLATFORM_SECRET})`)} | ${login} -d @-`
    : `${login} -d ${quoted(JSON.stringify({ app_code: appCode, secret }))}`;
  // A slug can be used only once. It contains the time, so that the line works after each start.
  const organization = JSON.stringify({ name: 'Acme', slug: `acme-${Date.now().toString(36)}` });
  return [
    `TOKEN=$(${loggedIn} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -sS ${url}/api/v1/orgs ${token} ${json} -d ${quoted(organization)}`,
    `curl -sS ${url}/api/v1/orgs ${token}`,
  ];
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
