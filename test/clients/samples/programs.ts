import { contracts } from '../../../functions/all-contracts.ts';
import { exampleRequestsOf } from '../../../functions/docs/openapi/example-requests.ts';
import { type Sample, SETUP, samplesOf } from '../../../functions/docs/site/samples/samples.ts';
import { inCamelCase } from '../../../functions/docs/site/samples/text.ts';

/**
 * The samples of all operations, as they are in the reference, made one program for each language. They are in the order
 * of the collections: those before the login are sent with the platform's token. After each sample the program keeps the
 * ids that others need, and says its status: it prints a line such as `@@createClient 201`; in Python, `said` has them.
 */

type Language = Sample['language'];

const requests = exampleRequestsOf(contracts).filter(
  ({ id, operationId, isByHand }) => id === operationId && !isByHand,
);

/** The statuses that the samples should have, in the order of the programs. */
export const expected: readonly string[] = requests.map(({ id }) => {
  const routes = contracts.map((contract) => contract.routes).find((each) => id in each);
  const route = routes?.[id];
  const creation = Object.values(routes ?? {}).find(({ method, path }) => method === 'POST' && path === route?.path);
  // The sample of the creation has made the record, where it names the value by which an upsert finds one.
  const isThere = route?.upsert !== undefined && creation?.bodyExample?.[route.upsert.by] !== undefined;
  return `${id} ${isThere ? 200 : route?.response.status}`;
});

/** The lines that a program has printed about its samples. */
export const printed = (output: string): string[] => Array.from(output.matchAll(/^@@(.*)$/gm), ([, line = '']) => line);

/** What a program has in its environment. */
export interface Environment {
  readonly GIVEN_API: string;
  readonly GIVEN_APP_CODE: string;
  readonly GIVEN_SECRET: string;
  readonly PLATFORM_TOKEN: string;
}

/** An organization for a run of the samples. @throws Error when the API refuses */
export async function environmentAt(
  url: string,
  platform: { readonly appCode: string; readonly secret: string },
): Promise<Environment> {
  const post = async (path: string, body: object, token?: string): Promise<Record<string, string>> => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const login = await post('/auth/login', { app_code: platform.appCode, secret: platform.secret });
  const PLATFORM_TOKEN = login.access_token ?? '';
  const org = await post('/orgs', { name: 'Samples' }, PLATFORM_TOKEN);
  const app = { app_code: `samples-${org.id}`, display_name: 'Samples', org_id: org.id };
  const { app_code = '', secret = '' } = await post('/integrations', app, PLATFORM_TOKEN);
  return { GIVEN_API: url, GIVEN_APP_CODE: app_code, GIVEN_SECRET: secret, PLATFORM_TOKEN };
}

const textOf = (samples: readonly Sample[], language: Language): string =>
  samples.find((sample) => sample.language === language)?.text ?? '';

/**
 * The setup with values of the environment, and samples whose app code is new at each run: it is unique among all
 * organizations.
 */
const setupWith = (language: Language, variable: (name: string) => string): string =>
  Object.entries({
    'http://127.0.0.1:3000': 'GIVEN_API',
    'acme-billing': 'GIVEN_APP_CODE',
    'cst_…': 'GIVEN_SECRET',
  }).reduce(
    (text, [value, name]) => text.replace(new RegExp(`["']?${value}["']?`), () => variable(name)),
    textOf(SETUP, language),
  );

const sampleOf = (id: string, language: Language): string =>
  textOf(samplesOf({ id }), language).replaceAll('acme-billing', `acme-${language}-${process.pid}`);

/** The variables that the response of a sample sets, with the name of the field: `CLIENT_ID`, `id`. */
const leftBy = ({ leaves }: (typeof requests)[number]): (readonly [variable: string, path: string])[] =>
  Object.entries(leaves).filter(([name]) => name !== 'token');

export const bashProgram = (): string =>
  [
    'set -u',
    'OUT=$(mktemp) ERR=$(mktemp)',
    'trap \'cat "$ERR" >&2; rm -f "$OUT" "$ERR"\' EXIT',
    'curl() { command curl -s -w \'%{stderr}%{http_code}\' "$@"; }',
    `field() { grep -o "\\"$1\\":\\"[^\\"]*\\"" "$OUT" | head -n 1 | cut -d'"' -f4; }`,
    setupWith('curl', (name) => `$${name}`),
    'TOKEN=$PLATFORM_TOKEN',
    ...requests.flatMap((request) => [
      `{\n${sampleOf(request.id, 'curl')}\n} >"$OUT" 2>"$ERR"`,
      `echo "@@${request.id} $(<"$ERR")"`,
      ...leftBy(request).map(([name, path]) => `${name.toUpperCase()}=$(field ${path.split('.').at(-1)})`),
    ]),
  ].join('\n');

/** Keeps the statuses of responses. */
const OBSERVED = `const statuses: [path: string, status: number][] = [];
const send = globalThis.fetch;
globalThis.fetch = async (...given: Parameters<typeof fetch>) => {
  const response = await send(...given);
  statuses.push([new URL(response.url).pathname, response.status]);
  return response;
};
const said = (id: string, path = '') => {
  const [, status] = statuses.findLast(([each]) => each.includes(path)) ?? [];
  console.log('@@' + id, status);
};`;

/** The client logs in with its first request, which is not a sample. */
export const typescriptProgram = (): string => {
  const variables = new Set(requests.flatMap((request) => leftBy(request).map(([name]) => name)));
  const [before, [login, ...after]] = [requests.slice(0, loginAt), requests.slice(loginAt)] as const;
  const run = (request: (typeof requests)[number]): string => {
    const text = sampleOf(request.id, 'TypeScript');
    const [, result = ''] = /const (\w+) (?:=|of)/.exec(text) ?? [];
    const kept = leftBy(request).map(([name, path]) => `${inCamelCase(name)} ||= ${result}.${path.split('.').at(-1)};`);
    const isLoop = text.startsWith('for');
    return `{\n${isLoop ? text.replace(/console\.log\(\w+\);/, kept.join('\n')) : [text, ...kept].join('\n')}\nsaid('${request.id}');\n}`;
  };
  return [
    setupWith('TypeScript', (name) => `process.env.${name} ?? ''`),
    OBSERVED,
    ...[...variables].map((name) => `let ${inCamelCase(name)} = '';`),
    `{\nconst custodia = createCustodia({ baseUrl, credentials: { token: process.env.PLATFORM_TOKEN ?? '' } });`,
    ...before.map(run),
    '}',
    sampleOf(login?.id ?? '', 'TypeScript'),
    'await custodia.clients.list().page();',
    "said('login', '/auth/login');",
    ...after.map(run),
  ].join('\n');
};

const loginAt = requests.findIndex(({ id }) => id === 'login');

export const pythonProgram = (): string =>
  [
    'import os',
    'said = []',
    setupWith('Python', (name) => `os.environ["${name}"]`),
    'custodia = httpx.Client(base_url=api, headers={"Authorization": "Bearer " + os.environ["PLATFORM_TOKEN"]})',
    ...requests.flatMap((request) => [
      sampleOf(request.id, 'Python').replace(/^print\(.*\)$/m, ''),
      `said.append(f"${request.id} {response.status_code}")`,
      ...leftBy(request).map(
        ([name, path]) =>
          `${name} = response.json()${path
            .split(/[.[\]]+/)
            .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `["${key}"]`))
            .join('')}`,
      ),
    ]),
  ].join('\n');
