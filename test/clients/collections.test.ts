import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { signWebhook } from '../../clients/typescript/src/index.ts';
import { contracts } from '../../functions/all-contracts.ts';
import { httpFile } from '../../generate/collections/http-file.ts';
import { postmanCollection } from '../../generate/collections/postman.ts';
import { collectionRequestsOf } from '../../generate/collections/requests.ts';
import type { ApiResponse, OrgAccess } from '../support/api.ts';
import { operations, PLATFORM_ONLY } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

/** The collections of requests: every request of `clients/custodia.http` is sent, from the top, and the other has the same ones. */

const read = (file: string): string => readFileSync(join(import.meta.dirname, '../../clients', file), 'utf8');
const HTTP_FILE = read('custodia.http');
const POSTMAN = read('custodia.postman_collection.json');

it.each([
  ['custodia.http', HTTP_FILE, httpFile],
  ['custodia.postman_collection.json', POSTMAN, postmanCollection],
])('%s is what the contracts say', (file, text, make) => {
  expect(make(collectionRequestsOf(contracts)) === text, `run \`npm run docs\` and commit clients/${file}`).toBe(true);
});

/** A request as it is written in the file. */
interface Written {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const [head = '', ...blocks] = HTTP_FILE.split(/^### .*\n/m);
const variables = new Map(Array.from(head.matchAll(/^@(\w+) = (.*)$/gm), ([, name = '', value = '']) => [name, value]));
const written = blocks.map((block): Written => {
  const [top = '', ...bodies] = block.trim().split('\n\n');
  const [, id = '', method = '', url = '', headers = ''] =
    /# @name (\w+)\n([A-Z]+) (\S+)\n?((?:[\w-]+: .*\n?)*)$/.exec(top) ?? [];
  const pairs = Array.from(headers.matchAll(/^([\w-]+): (.*)$/gm), ([, name = '', value = '']) => [name, value]);
  const body = bodies.length === 0 ? undefined : bodies.join('\n\n');
  return { id, method, url, headers: Object.fromEntries(pairs), body };
});

describe('custodia.http', () => {
  const api = useApi();
  let org: OrgAccess;
  beforeAll(async () => {
    org = await api.orgToken();
  });

  const responses = new Map<string, ApiResponse>();

  /** Puts values for variables, as the tools do. */
  function filled(text: string): string {
    const own: Readonly<Record<string, string>> = {
      ...{ $guid: randomUUID(), $timestamp: '1763800000', base_url: api.url },
      ...{ app_code: org.appCode, secret: org.secret },
    };
    return text.replace(
      /\{\{(.*?)\}\}/g,
      (_, name: string) => own[name] ?? filled(variables.get(name) ?? responded(name)),
    );
  }

  /** `createClient.response.body.id`, `listAuditEvents.response.body.data[0].id`. */
  function responded(place: string): string {
    const [id = '', path = ''] = place.split('.response.body.');
    const value = path.split(/[.[\]]+/).reduce<unknown>((at, key) => Object(at)[key], responses.get(id)?.body);
    if (typeof value !== 'string') throw new Error(`no response has ${place}`);
    return value;
  }

  it('has every operation', () => {
    expect(written.map(({ id }) => id).toSorted()).toEqual(operations.map(([id]) => id).toSorted());
  });

  it.each(written.map((request) => [request.id, request] as const))('%s succeeds', async (id, request) => {
    const body = request.body === undefined ? undefined : filled(request.body);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, filled(value)]));
    if ('X-Signature' in headers) headers['X-Signature'] = await signWebhook(body ?? '', org.secret);
    const path = filled(request.url).slice(api.url.length);
    const response = await api.request(request.method, path, { headers, ...(body === undefined ? {} : { raw: body }) });
    responses.set(id, response);
    expect(PLATFORM_ONLY.has(id) ? [403] : [200, 201, 204], JSON.stringify(response.body)).toContain(response.status);
  });
});

describe('custodia.postman_collection.json', () => {
  interface Item {
    readonly name: string;
    readonly request: { readonly method: string; readonly url: string; readonly body?: { readonly raw: string } };
    readonly event: readonly { readonly script: { readonly exec: readonly string[] } }[];
  }
  const collection: { variable: { key: string }[]; item: { item: Item[] }[] } = JSON.parse(POSTMAN);
  const items = collection.item.flatMap(({ item }) => item);

  it('has the same requests', () => {
    const inFile = written.map(({ method, url, body }) => ({ method, url, body })).toSorted(byText);
    const inCollection = items.map(({ request: { method, url, body } }) => ({ method, url, body: body?.raw }));
    expect(inCollection.toSorted(byText)).toEqual(inFile);
  });

  it('keeps in variables what its requests have in theirs, and signs', () => {
    const scripts = items.flatMap(({ event }) => event.flatMap(({ script }) => script.exec));
    const set = scripts.flatMap((line) => /collectionVariables\.set\('(\w+)'/.exec(line)?.[1] ?? []);
    const declared = collection.variable.map(({ key }) => key);
    const used = new Set(Array.from(POSTMAN.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => name));
    expect([...used].filter((name) => !declared.includes(name) && !set.includes(name))).toEqual([]);
    expect(declared.filter((name) => !used.has(name))).toEqual([]);
    expect(set).toEqual(expect.arrayContaining(['token', 'client_id', 'signature']));
  });
});

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
