import type { Contract } from '#contract';
import { type ExampleRequest, exampleRequestsOf, GIVEN } from '../functions/docs/openapi/example-requests.ts';

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

/**
 * `clients/custodia.postman_collection.json`: for Postman, Bruno, Insomnia and others that import its format
 * (https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html).
 */
export function postmanCollection(requests: readonly ExampleRequest[]): string {
  const left = requests.flatMap(({ leaves }) => Object.keys(leaves));
  const collection = {
    info: {
      name: 'Custodia',
      description:
        "Every operation of Custodia's API but to verify a webhook endpoint by hand, made from the contracts by `npm run docs`. Set the variable platform_secret, which `npm start` prints, and run it from the top: scripts keep the tokens and the ids of what is created. Without a key of the platform, set app_code and secret to yours, and leave out the first folder. Requests that delete are in the last one, and delete only what was created here.",
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearer('token'),
    variable: [
      ...Object.entries(GIVEN).map(([key, value]) => ({ key, value })),
      ...left.map((key) => ({ key, value: '' })),
    ],
    event: [script('test', ["pm.test('succeeds', () => pm.response.to.be.success);"])],
    item: foldersOf(requests),
  };
  return `${JSON.stringify(collection, null, 1)}\n`;
}

/** They are run from the first to the last, so a tag has a second one where its later requests need those of others. */
function foldersOf(requests: readonly ExampleRequest[]): object[] {
  const folders: { name: string; item: object[] }[] = [];
  for (const request of requests) {
    const tag = request.method === 'DELETE' ? 'Deletions' : request.tag;
    const isKnown = folders.some(({ name }) => name === tag);
    const last = folders.at(-1);
    if (last?.name === tag || last?.name === `${tag}, continued`) last.item.push(itemFor(request));
    else folders.push({ name: isKnown ? `${tag}, continued` : tag, item: [itemFor(request)] });
  }
  return folders;
}

function itemFor(request: ExampleRequest): object {
  const { title, method, path, auth, token, headers, body, leaves } = request;
  const sent = {
    ...(auth === 'signature' ? { 'X-Signature': '{{signature}}' } : {}),
    ...headers,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  return {
    name: title,
    request: {
      method,
      url: `{{base_url}}${path}`,
      ...(auth !== 'bearer' ? { auth: { type: 'noauth' } } : token === 'token' ? {} : { auth: bearer(token) }),
      header: Object.entries(sent).map(([key, value]) => ({ key, value })),
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: bodyText(request) } }),
    },
    event: [
      ...(auth === 'signature' ? [script('prerequest', [SIGN])] : []),
      ...(Object.keys(leaves).length === 0 ? [] : [script('test', Object.entries(leaves).map(keep))]),
    ],
  };
}

const bearer = (variable: string) => ({
  type: 'bearer',
  bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }],
});

const script = (listen: string, exec: readonly string[]) => ({ listen, script: { type: 'text/javascript', exec } });

const keep = ([name, place]: readonly [string, string]): string =>
  `if (pm.response.code < 300) pm.collectionVariables.set('${name}', pm.response.json().${place.replace('[0].', '[0]?.')});`;

const SIGN =
  "pm.collectionVariables.set('signature', require('crypto-js').HmacSHA256(pm.variables.replaceIn(pm.request.body.raw), pm.variables.get('secret')).toString());";
