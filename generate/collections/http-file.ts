import type { Contract } from '#contract';
import { type ExampleRequest, exampleRequestsOf, GIVEN } from '#openapi';

/** `clients/custodia.http`: for VS Code's REST Client and httpYac. */

const HEAD = `# Every operation of Custodia's API but to verify a webhook endpoint by hand, made from the contracts by \`npm run docs\`. For VS Code (REST Client) and httpYac.
#
# Set platform_secret, which \`npm start\` prints, and send the requests from the top: each needs what earlier ones have
# created. The first ones create an organization and a key of it. Without a key of the platform, set app_code and secret
# to yours above the login, and start there. Requests that delete are at the end, and delete only what was created here.
`;

/** They are a request of their own for REST Client, which cannot compute the signature, and are run by httpYac for every request. */
const SCRIPTS = `### Nothing to send: scripts of httpYac, which give responses the names of REST Client, test for success, and sign
{{+response
  const { parsedBody, statusCode } = response;
  if (parsedBody) Object.defineProperty(parsedBody, 'response', { value: { body: parsedBody } });
  test(\`succeeds: \${statusCode}\`, () => require('node:assert').ok(statusCode < 300));
}}
{{+request
  const { headers, body } = request;
  const signed = () => require('node:crypto').createHmac('sha256', secret).update(body).digest('hex');
  if (headers['X-Signature']) headers['X-Signature'] = signed();
}}
`;

export const httpFile = (requests: readonly ExampleRequest[]): string =>
  [
    `${HEAD}\n${Object.entries({ ...GIVEN, signature: '0'.repeat(64) })
      .map(variable)
      .join('')}`,
    SCRIPTS,
    ...requests.map(
      (request, index) => `### ${request.tag}: ${request.title}\n${textOf(request, requests[index - 1])}`,
    ),
  ].join('\n');

const variable = ([name, value]: readonly [string, string]): string => `@${name} = ${value}\n`;

/** Above the request are the variables of the one before: httpYac takes their values there. */
function textOf(request: ExampleRequest, before: ExampleRequest | undefined): string {
  const { id, filters, method, path, auth, token, headers, body } = request;
  const set = Object.entries(before?.leaves ?? {}).map(([name, place]) =>
    variable([name, `{{${before?.id}.response.body.${place}}}`]).trimEnd(),
  );
  const filtered = filters.length === 0 ? [] : [`# Filters: ${filters.join(', ')}`];
  const signed = [
    '# In REST Client, set signature to the HMAC of the body as it is sent, without a line break:',
    "# printf '%s' '…' | openssl dgst -sha256 -hmac \"$SECRET\"",
  ];
  const lines = [
    ...set,
    ...filtered,
    ...(auth === 'signature' ? signed : []),
    `# @name ${id}`,
    `${method} {{base_url}}${path}`,
    ...(auth === 'bearer' ? [`Authorization: Bearer {{${token}}}`] : []),
    ...(auth === 'signature' ? ['X-Signature: {{signature}}'] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['Content-Type: application/json', '', bodyText(request)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** One line where it is signed. */
const bodyText = ({ auth, body }: ExampleRequest): string =>
  auth === 'signature' ? JSON.stringify(body) : JSON.stringify(body, null, 2);

/** The requests of the collections, each of which succeeds when all are sent from the top. */
export const collected = (contracts: readonly Contract[]): readonly ExampleRequest[] =>
  exampleRequestsOf(contracts).filter(({ isByHand }) => !isByHand);
