import { type CollectionRequest, GIVEN } from './requests.ts';

/** `clients/custodia.http`: for VS Code's REST Client and httpYac. */

const HEAD = `# Every operation of Custodia's API, made from the contracts by \`npm run docs\`. For VS Code (REST Client) and httpYac.
#
# Fill in app_code and secret (the README's tour shows how to get them from \`npm start\`), and send requests from the top: each needs the login and
# what earlier ones have created. Those of platform callers return 403 to everyone else. Requests that delete are at the end.
`;

export const httpFile = (requests: readonly CollectionRequest[]): string =>
  [
    `${HEAD}\n${variables(requests)}`,
    ...requests.map((request) => `### ${request.tag}: ${request.title}\n${textOf(request)}`),
  ].join('\n');

function variables(requests: readonly CollectionRequest[]): string {
  const left = requests.flatMap(({ operationId, leaves }) =>
    Object.entries(leaves).map(([name, place]) => [name, `{{${operationId}.response.body.${place}}}`] as const),
  );
  return [...Object.entries(GIVEN), ...left].map(([name, value]) => `@${name} = ${value}\n`).join('');
}

function textOf(request: CollectionRequest): string {
  const { operationId, filters, method, path, auth, headers, body } = request;
  const filtered = filters.length === 0 ? [] : [`# Filters: ${filters.join(', ')}`];
  const signed = [
    '# The HMAC of the body as it is sent, without a line break:',
    "# printf '%s' '…' | openssl dgst -sha256 -hmac \"$SECRET\"",
  ];
  const lines = [
    ...filtered,
    ...(auth === 'signature' ? signed : []),
    `# @name ${operationId}`,
    `${method} {{base_url}}${path}`,
    ...(auth === 'bearer' ? ['Authorization: Bearer {{token}}'] : []),
    ...(auth === 'signature' ? ['X-Signature: 0000000000000000000000000000000000000000000000000000000000000000'] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['Content-Type: application/json', '', bodyText(request)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** One line where it is signed. */
const bodyText = ({ auth, body }: CollectionRequest): string =>
  auth === 'signature' ? JSON.stringify(body) : JSON.stringify(body, null, 2);
