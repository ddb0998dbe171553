import { expect, it } from 'vitest';
import document from '../../openapi.json' with { type: 'json' };
import { BATCH, FEED, readableCall, readableCalls } from '../../packages/client/generate/calls.ts';
import { clientCalls } from '../../packages/client/generate/calls-file.ts';

/** The readable names of operations: `custodia.tickets.create`. */

const calls = readableCalls(document);

it('every operation has one, unique and of whole words, and lists are called so', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    [FEED, BATCH].includes(path) ? [] : Object.values(item as object),
  );
  expect(calls).toHaveLength(operations.length);
  expect(new Set(calls.map(({ group, name }) => `${group}.${name}`)).size).toBe(operations.length);
  for (const { group, name } of calls)
    expect([group, name]).toEqual(Array(2).fill(expect.stringMatching(/^[a-z]+([A-Z][a-z]+)*$/)));
  const paged = calls.filter(({ path, method }) => method === 'GET' && /\/(tickets|messages|history|logs)$/.test(path));
  expect(paged.map(({ isList }) => isList)).toEqual([true, true, true, true]);
});

it.each([
  ['GET', '/api/v1/tickets', 'listTickets', 'tickets.list(query)'],
  ['POST', '/api/v1/tickets', 'createTicket', 'tickets.create(body)'],
  ['GET', '/api/v1/tickets/{id}', 'getTicket', 'tickets.get(id, query)'],
  ['DELETE', '/api/v1/tickets/{id}', 'deleteTicket', 'tickets.delete(id)'],
  ['GET', '/api/v1/tickets/{id}/messages', 'listTicketMessages', 'tickets.listMessages(id, query)'],
  [
    'GET',
    '/api/v1/services/client/{client_id}/{id}',
    'getServiceOfClient',
    'services.getOfClient(clientId, id, query)',
  ],
  ['PATCH', '/api/v1/service-actions/{id}', 'updateServiceAction', 'serviceActions.update(id, body)'],
  ['POST', '/api/v1/users/memberships', 'createMembership', 'memberships.create(body)'],
  ['POST', '/api/v1/integrations/{id}/rotate-secret', 'rotateSecret', 'integrations.rotateSecret(id, body)'],
  ['POST', '/api/v1/webhook-endpoints', 'createWebhookEndpoint', 'webhookEndpoints.create(body)'],
  ['POST', '/api/v1/logs/ingest', 'ingestLog', 'logs.ingest(body)'],
  ['POST', '/api/v1/auth/login', 'login', 'auth.login(body)'],
  ['GET', '/.well-known/jwks.json', 'getTokenKeys', 'wellKnown.getTokenKeys(query)'],
  // Those that come later.
  ['GET', '/api/v1/me', 'getMe', 'me.get(query)'],
  ['PATCH', '/api/v1/policies/{id}', 'updatePolicy', 'policies.update(id, body)'],
])('%s %s, %s, is %s', (method, path, operationId, expected) => {
  const body = /POST|PATCH/.test(method) ? { requestBody: {} } : {};
  const { group, name, parameters, sends = [] } = readableCall(method.toLowerCase(), path, { operationId, ...body });
  expect(`${group}.${name}(${[...parameters, sends].flat().join(', ')})`).toBe(expected);
});

it('two operations of one name, and one of a member that the client has, are refused', () => {
  const get = { operationId: 'getTicket' };
  expect(() => readableCalls({ paths: { '/api/v1/tickets/{id}': { get }, '/api/v1/tickets/first': { get } } })).toThrow(
    'custodia.tickets.get is taken. Choose another operationId for /api/v1/tickets/{id} or /api/v1/tickets/first',
  );
  for (const path of ['/api/v1/pages', '/api/v1/events/{id}', '/api/v1/batch/{id}'])
    expect(() => readableCalls({ paths: { [path]: { get: { operationId: 'getIt' } } } })).toThrow('taken');
  for (const path of [FEED, BATCH])
    expect(readableCalls({ paths: { [path]: { get: { operationId: 'listEvents' } } } })).toEqual([]);
});

it('an operation that is new has a signature and its place in the table', () => {
  const $ref = '#/components/schemas/Key';
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const from = { in: 'query', name: 'from', required: true };
  const get = {
    operationId: 'getUsage',
    summary: 'Read',
    parameters: [from],
    responses: { 200: json({ type: 'object' }) },
  };
  const post = {
    ...{ operationId: 'createUserKey', summary: 'Create', parameters: [{ $ref: '#/components/parameters/Reason' }] },
    ...{ requestBody: json({ type: 'object' }), responses: { 201: json({ $ref }) } },
  };
  const text = clientCalls({
    paths: { '/api/v1/usage': { get }, '/api/v1/users/{user_id}/keys': { post } },
    components: {
      schemas: { Key: { properties: { secret: { type: ['string', 'null'] } } }, Unused: {} },
      parameters: { Reason: { in: 'header', name: 'X-Reason', required: true } },
    },
  });
  expect(
    text
      .split('\n')
      .filter((line) => /^import|readonly (get|create)|: '/.test(line))
      .map((line) => line.trim()),
  ).toEqual([
    "import type { Options, Query, WithSecret } from './signatures.ts';",
    "import type { operations, Key } from './schema.ts';",
    "import type { DataOf } from './types.ts';",
    "readonly get: (query: Query<'getUsage'>, options?: Options<'getUsage'>) => Promise<DataOf<'/api/v1/usage', 'get'>>;",
    "readonly createKey: (userId: string, body: operations['createUserKey']['requestBody']['content']['application/json'], options: Options<'createUserKey'>) => Promise<WithSecret<Key>>;",
    "get: 'get /api/v1/usage',",
    "createKey: 'post /api/v1/users/{user_id}/keys',",
  ]);
});
