import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { exampleRequestsOf } from '../../functions/docs/openapi/example-requests.ts';
import { operations } from '../support/scenario.ts';
import { useLocalApi } from './use-local-api.ts';

/**
 * The collections of requests, run from the top, twice in a row. These are small readers of the two formats;
 * `npm run check:clients` runs newman and httpYac themselves.
 */

const read = (file: string): string => readFileSync(join(import.meta.dirname, '../../clients', file), 'utf8');

const api = useLocalApi();

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

async function send({ method, url, headers, body }: Sent): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }), redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

/** Puts values for `{{name}}`. @throws Error for a variable that is not set */
const filled = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replace(/\{\{(.*?)\}\}/g, (_, name: string) => {
    const value = { $guid: randomUUID(), $timestamp: String(Date.now()) }[name] ?? variables.get(name);
    if (value === undefined || value === '') throw new Error(`nothing has set ${name}`);
    return value;
  });

const given = () => [['base_url', api.url] as const, ['platform_secret', api.platform.secret] as const];

/** The requests that failed, and how many were sent. */
interface Run {
  readonly failures: readonly string[];
  readonly count: number;
}

async function runHttpFile(): Promise<Run> {
  const [head = '', , ...blocks] = read('custodia.http').split(/^### .*\n/m);
  const variables = new Map<string, string>();
  const responses = new Map<string, unknown>();
  const set = (text: string): void => {
    for (const [, name = '', value = ''] of text.matchAll(/^@(\w+) = (.*)$/gm)) {
      const [, id = '', place = ''] = /^\{\{(\w+)\.response\.body\.(.*)\}\}$/.exec(value) ?? [];
      const found = place.split(/[.[\]]+/).reduce<unknown>((at, key) => Object(at)[key], responses.get(id));
      variables.set(name, id === '' ? value : String(found ?? ''));
    }
  };
  set(head);
  for (const [name, value] of given()) variables.set(name, value);
  const failures: string[] = [];
  for (const block of blocks) {
    const [top = '', ...bodies] = block.trim().split('\n\n');
    set(top);
    const [, id = '', method = '', url = '', lines = ''] =
      /# @name (\w+)\n([A-Z]+) (\S+)\n?((?:[\w-]+: .*\n?)*)$/.exec(top) ?? [];
    const body = bodies.length === 0 ? undefined : filled(bodies.join('\n\n'), variables);
    // What the scripts of httpYac compute.
    variables.set('signature', signed(body ?? '', variables.get('secret') ?? ''));
    const headers = Object.fromEntries(
      Array.from(filled(lines, variables).matchAll(/^([\w-]+): (.*)$/gm), ([, name = '', value = '']) => [name, value]),
    );
    const { status, text } = await send({ method, url: filled(url, variables), headers, body });
    if (status >= 300) failures.push(`${id}: ${status} ${text}`);
    responses.set(id, /^[{[]/.test(text) ? JSON.parse(text) : undefined);
  }
  return { failures, count: blocks.length };
}

const signed = (text: string, secret: string): string => createHmac('sha256', secret).update(text).digest('hex');

interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly auth?: Auth;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly body?: { readonly raw: string };
  };
  readonly event: readonly Script[];
}
interface Auth {
  readonly type: string;
  readonly bearer?: readonly { readonly value: string }[];
}
interface Script {
  readonly listen: string;
  readonly script: { readonly exec: readonly string[] };
}
interface Collection {
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly auth: Auth;
  readonly event: readonly Script[];
  readonly item: readonly { readonly item: readonly Item[] }[];
}

/** Its scripts run with the few members of Postman's `pm` that they use. */
async function runPostman(): Promise<Run> {
  const collection: Collection = JSON.parse(read('custodia.postman_collection.json'));
  const variables = new Map([...collection.variable.map(({ key, value }) => [key, value] as const), ...given()]);
  const failures: string[] = [];
  const items = collection.item.flatMap(({ item }) => item);
  for (const { name, request, event } of items) {
    const { method, url, auth = collection.auth, header, body } = request;
    const run = (listen: string, pm: object): void => {
      const scripts = [...collection.event, ...event].filter((script) => script.listen === listen);
      for (const { script } of scripts) runInNewContext(script.exec.join('\n'), { pm, require: () => cryptoJs });
    };
    const pm = {
      request: { body },
      variables: { get: (key: string) => variables.get(key), replaceIn: (text: string) => filled(text, variables) },
      collectionVariables: { set: (key: string, value: string) => variables.set(key, value) },
    };
    run('prerequest', pm);
    const bearer = filled(auth.bearer?.[0]?.value ?? '', auth.type === 'bearer' ? variables : new Map());
    const headers = header.map(({ key, value }) => [key, filled(value, variables)]);
    const { status, text } = await send({
      method,
      url: filled(url, variables),
      headers: { ...Object.fromEntries(headers), ...(bearer === '' ? {} : { Authorization: `Bearer ${bearer}` }) },
      body: body && filled(body.raw, variables),
    });
    const isSuccess = {
      get success() {
        if (status >= 300) failures.push(`${name}: ${status} ${text}`);
        return true;
      },
    };
    const response = { code: status, json: () => JSON.parse(text), to: { be: isSuccess } };
    const tests: string[] = [];
    const test = (title: string, check: () => void): void => {
      check();
      tests.push(title);
    };
    run('test', { ...pm, response, test });
    expect(tests, `tests of ${name}`).toEqual(['succeeds']);
  }
  return { failures, count: items.length };
}

const cryptoJs = { HmacSHA256: (text: string, secret: string) => ({ toString: () => signed(text, secret) }) };

const byHand = exampleRequestsOf(contracts).filter(({ isByHand }) => isByHand);

describe.each([
  ['custodia.http', runHttpFile],
  ['custodia.postman_collection.json', runPostman],
])('%s', (_, run) => {
  it('succeeds in every request, and once more', { timeout: 120_000 }, async () => {
    for (let time = 0; time < 2; time++) {
      const { failures, count } = await run();
      expect(failures).toEqual([]);
      expect(count).toBeGreaterThan(operations.length - byHand.length);
    }
  });
});
