import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyHandler } from 'aws-lambda';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Route } from '#contract';
import { clients } from '../../functions/clients/contract.ts';
import { services } from '../../functions/services/contract.ts';
import { tickets } from '../../functions/tickets/contract.ts';
import { loadFromSource } from '../../local/functions.ts';
import { authorizerContext } from '../support/caller.ts';
import { lambdaContext } from '../support/lambda-context.ts';
import { prepared } from '../support/prepared.ts';
import { type GatewayRequest, proxyEventOf } from '../support/proxy-event.ts';
import { useApi } from '../support/use-api.ts';

/**
 * How much source a reader has to know to follow one request: the files, and the functions in them, that a warm
 * container runs for it. V8 counts them while a handler runs, without gateway and authorizer. Bounds only go down.
 */
const BOUNDS = {
  'GET of a client': { files: 44, functions: 256, goal: 45 },
  'PATCH of a ticket': { files: 60, functions: 521, goal: 60 },
  'filtered list': { files: 65, functions: 388, goal: 65 },
  create: { files: 63, functions: 513, goal: 65 },
} as const;
type Kind = keyof typeof BOUNDS;

const api = useApi();
const org = prepared(() => api.orgToken());
const CONTACT = '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11';

/** Sends a request to the handler of its function; it must succeed. */
async function send(name: string, request: Omit<GatewayRequest, 'caller'>): Promise<{ readonly id: string }> {
  const handler = (await loadFromSource(name)) as unknown as APIGatewayProxyHandler;
  const event = proxyEventOf({ ...request, caller: authorizerContext(org.orgId) });
  const response = await handler(event, lambdaContext(), () => undefined);
  if (!response || response.statusCode >= 300) throw new Error(`${name}: ${JSON.stringify(response)}`);
  return JSON.parse(response.body);
}

/** A request of each kind, and a new one each time: a change that changes nothing would run less. */
const requests = prepared(async () => {
  const post = (name: string, route: Route, body: object) => send(name, { route, path: route.path, body });
  const { id: client } = await post('clients', clients.routes.createClient, { name: 'Acme' });
  const service = await post('services', services.routes.createService, {
    client_id: client,
    name: 'Till',
    type: 'saas',
  });
  const newTicket = () =>
    post('tickets', tickets.routes.createTicket, {
      client_id: client,
      service_id: service.id,
      subject: 'No receipts',
      description: 'The printer is silent.',
      source: 'email',
      contact_id: CONTACT,
    });
  const { id: ticket } = await newTicket();
  let status = 'open';
  const at = (route: Route, id: string) => ({ route, path: route.path.replace('{id}', id) });
  const listed = {
    route: tickets.routes.listTickets,
    path: tickets.routes.listTickets.path,
    query: { status: 'open' },
  };
  return {
    'GET of a client': () => send('clients', at(clients.routes.getClient, client)),
    'PATCH of a ticket': () => {
      status = status === 'open' ? 'closed' : 'open';
      return send('tickets', { ...at(tickets.routes.updateTicket, ticket), body: { status } });
    },
    'filtered list': () => send('tickets', listed),
    create: () => post('clients', clients.routes.createClient, { name: 'Acme' }),
  } satisfies Record<Kind, () => Promise<unknown>>;
});

const ROOT = pathToFileURL(join(import.meta.dirname, '../../')).href;
const isCounted = (url: string): boolean => /^(functions|shared|packages)\//.test(url.replace(ROOT, ''));

/** The files that run while `action` does, with the number of their functions that do. */
async function filesRunBy(action: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await action();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const ran = result
    .filter(({ url }) => isCounted(url))
    .map(({ url, functions }) => {
      const called = functions.filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0);
      return [url.replace(ROOT, ''), called.length] as const;
    });
  return new Map(ran.filter(([, functions]) => functions > 0));
}

/** What each of three requests runs: tests before may have left a timer to the process. */
async function filesRunByEach(action: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const [first, ...others] = [await filesRunBy(action), await filesRunBy(action), await filesRunBy(action)];
  const least = Array.from(first ?? [], ([file, called]) => {
    return [file, Math.min(called, ...others.map((ran) => ran.get(file) ?? 0))] as const;
  });
  return new Map(least.filter(([, functions]) => functions > 0));
}

beforeAll(async () => {
  // The first requests of a container run more: they open sessions and read what is kept.
  for (let i = 0; i < 2; i++) for (const request of Object.values({ ...requests })) await request();
  // What runs now and then, such as a flush of a budget, is not of every request: no time passes.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});

it.each(Object.entries(BOUNDS))('a warm %s runs no more files and functions than its bounds', async (kind, bound) => {
  const files = await filesRunByEach(requests[kind as Kind]);
  const functions = [...files.values()].reduce((sum, called) => sum + called, 0);
  const listed = [...files].map(([file, called]) => `${file} ${called}`).toSorted();
  expect(files.size, listed.join('\n')).toBeLessThanOrEqual(bound.files);
  expect(functions, listed.join('\n')).toBeLessThanOrEqual(bound.functions);
});
