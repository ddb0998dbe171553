import { type ExampleRequest, GIVEN } from '#openapi';

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
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: textOf(request) } }),
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

const textOf = ({ auth, body }: ExampleRequest): string =>
  auth === 'signature' ? JSON.stringify(body) : JSON.stringify(body, null, 2);
