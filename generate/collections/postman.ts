import { type CollectionRequest, GIVEN } from './requests.ts';

/**
 * `clients/custodia.postman_collection.json`: for Postman, Bruno, Insomnia and others that import its format
 * (https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html).
 */
export function postmanCollection(requests: readonly CollectionRequest[]): string {
  const tags = [...new Set(requests.map(({ tag }) => tag))];
  const left = requests.flatMap(({ leaves }) => Object.keys(leaves));
  const collection = {
    info: {
      name: 'Custodia',
      description:
        "Every operation of Custodia's API, made from the contracts by `npm run docs`. Fill in app_code and secret, and log in: scripts keep the token and the ids of what is created.",
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      ...Object.entries(GIVEN).map(([key, value]) => ({ key, value })),
      ...left.map((key) => ({ key, value: '' })),
    ],
    item: tags.map((name) => ({ name, item: requests.filter(({ tag }) => tag === name).map(itemFor) })),
  };
  return `${JSON.stringify(collection, null, 1)}\n`;
}

function itemFor(request: CollectionRequest): object {
  const { title, method, path, auth, headers, body, leaves } = request;
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
      ...(auth === 'bearer' ? {} : { auth: { type: 'noauth' } }),
      header: Object.entries(sent).map(([key, value]) => ({ key, value })),
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: textOf(request) } }),
    },
    event: [
      ...(auth === 'signature' ? [script('prerequest', [SIGN])] : []),
      ...(Object.keys(leaves).length === 0 ? [] : [script('test', Object.entries(leaves).map(keep))]),
    ],
  };
}

const script = (listen: string, exec: readonly string[]) => ({ listen, script: { type: 'text/javascript', exec } });

const keep = ([name, place]: readonly [string, string]): string =>
  `if (pm.response.code < 300) pm.collectionVariables.set('${name}', pm.response.json().${place.replace('[0].', '[0]?.')});`;

const SIGN =
  "pm.collectionVariables.set('signature', require('crypto-js').HmacSHA256(pm.variables.replaceIn(pm.request.body.raw), pm.variables.get('secret')).toString());";

const textOf = ({ auth, body }: CollectionRequest): string =>
  auth === 'signature' ? JSON.stringify(body) : JSON.stringify(body, null, 2);
