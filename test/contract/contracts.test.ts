import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { changesNamedRecord, problemsOf } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { validBody } from '../../shared/http/request/validate.ts';
import { SPECIFIED_ROUTES } from './specified-routes.ts';

const routes = contracts.flatMap((contract) =>
  Object.entries(contract.routes).map(([id, route]) => ({ id, key: `${route.method} ${route.path}`, contract, route })),
);
const named = routes.map((entry) => [entry.id, entry] as const);

const twice = (values: readonly string[]): string[] => values.filter((value, index) => values.indexOf(value) !== index);

describe('the contracts', () => {
  it('declare every endpoint of the specification', () => {
    expect(SPECIFIED_ROUTES).toHaveLength(47);
    const declared = routes.map(({ key }) => key);
    expect(SPECIFIED_ROUTES.filter((key) => !declared.includes(key))).toEqual([]);
  });

  it('mark what the specification does not have as an extension, and nothing else', () => {
    const specified: readonly string[] = SPECIFIED_ROUTES;
    const marked = routes.filter(({ route }) => route.extension === true).map(({ key }) => key);
    expect(marked.toSorted()).toEqual(
      routes
        .map(({ key }) => key)
        .filter((key) => !specified.includes(key))
        .toSorted(),
    );
  });

  it('give each operation an id, a method and path, and each function a name of its own', () => {
    expect(twice(routes.map(({ id }) => id))).toEqual([]);
    expect(twice(routes.map(({ key }) => key))).toEqual([]);
    expect(twice(contracts.map(({ name }) => name))).toEqual([]);
  });

  it('say of exactly those responses that they are lists, or counts of lists, that have a list in `data`', () => {
    const lists = contracts.flatMap(({ routes }) => Object.values(routes)).filter(({ response }) => response.isList);
    expect(lists.length).toBeGreaterThan(10);
    for (const { routes } of contracts) {
      for (const [operationId, route] of Object.entries(routes)) {
        const { shape = {} } = (route.response.schema ?? {}) as { readonly shape?: Readonly<Record<string, unknown>> };
        // A feed is followed, and has no pages.
        const isList = shape.data instanceof z.ZodArray && !('more' in shape);
        expect([operationId, route.response.isList === true || route.response.counted !== undefined]).toEqual([
          operationId,
          isList,
        ]);
      }
    }
  });

  it('say which record a request is about, but where it creates one: so others that change it are its own matter', () => {
    const changing = routes.filter(({ route }) => changesNamedRecord(route));
    const isCreation = ({ route }: (typeof routes)[number]) =>
      route.method === 'POST' && routes.some((other) => other.key === `GET ${route.path}`);
    expect(changing.filter(isCreation)).toEqual([]);
    const named = routes.filter(
      ({ route }) => route.auth === 'bearer' && route.method !== 'GET' && /\}/.test(route.path),
    );
    expect(named.filter((each) => !isCreation(each) && !changing.includes(each))).toEqual([]);
    expect(changing.filter(({ route }) => !problemsOf(route).includes('contended'))).toEqual([]);
    expect(changing.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['upsertClient', 'revokeTokens', 'replayWebhookEndpoint']),
    );
    expect(routes.filter(({ route }) => problemsOf(route).includes('contended'))).toEqual(changing);
  });

  it('name no two schemas alike', () => {
    const names = new Map<string, object>();
    for (const { route } of routes) {
      if (route.body === undefined) continue;
      expect(names.get(route.body.name) ?? route.body, route.body.name).toBe(route.body);
      names.set(route.body.name, route.body);
    }
  });
});

/** What they do is said by the path. */
const BODILESS = [
  'offboardUser',
  'revokeUserTokens',
  ...['revokeTokens', 'pingWebhookEndpoint', 'cancelServiceAction', 'completeAttachment'],
  ...['restoreTicket', 'restoreService', 'restoreResource'],
];

/** What any token may ask, or needs the permission of a kind that only its record tells. */
const WITHOUT_PERMISSION = ['getMe', 'runBatch', 'sendMcpMessage', 'listTrash', 'endTrashed'];

describe.each(named)('%s', (id, { route, key }) => {
  it('is declared whole', () => {
    expect(key).toMatch(
      /^((GET|POST|PUT|PATCH|DELETE) \/api\/v1(\/([a-z-]+|\{[a-z_]+\}))+|GET \/\.well-known\/[a-z.-]+)$/,
    );
    expect(route.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(route.response.description).toMatch(/^[A-Z].*\.$/s);
    if (WITHOUT_PERMISSION.includes(id)) expect(route.permission).toBeNull();
    else if (route.auth.startsWith('bearer'))
      expect(route.permission).toMatch(/^([a-z-]+:(read|write)|service-actions:(request|run))$/);
    else expect(route.permission).toBeUndefined();
    expect(route.body === undefined).toBe(route.bodyExample === undefined);
    const isToldSomething = (route.method === 'POST' && !BODILESS.includes(id)) || /^(PUT|PATCH)$/.test(route.method);
    expect(isToldSomething).toBe(route.body !== undefined);
  });

  it('asks for a permission to read where it reads, and to write where it writes', () => {
    if (route.permission) {
      expect(route.permission.endsWith(':read')).toBe(route.method === 'GET');
    }
  });

  it('has examples that are real responses and real requests', () => {
    const { schema, example, media } = route.response;
    const examples = media === undefined ? [example] : Object.values(media);
    if (schema !== undefined) for (const each of examples) expect(schema.parse(each)).toEqual(each);
    else expect([route.response.status, example]).toEqual([204, undefined]);
    if (route.body !== undefined)
      expect(validBody(route.body, route.bodyExample)).toMatchObject(route.bodyExample ?? {});
  });

  it('can return 404 where its path names a record', () => {
    if (!route.path.includes('{')) return;
    expect(route.errors).toContain('not-found');
  });
});
