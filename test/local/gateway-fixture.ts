import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { contract, noContent, type Route, route } from '#contract';
import { type GatewayOptions, startGateway } from '../../local/gateway/gateway.ts';
import type { FunctionHandler } from '../../local/gateway/options.ts';

/** A small API with fake functions, for the tests of the gateway. */

const open = { summary: 'Open', auth: 'none', response: noContent('Done') } as const;
const closed = { summary: 'Closed', permission: 'things:read', response: noContent('Done') } as const;
const id = () => ({ id: z.string() });

export const things = contract({
  name: 'things',
  tag: 'Things',
  description: 'Things',
  routes: {
    listThings: route('GET', '/v1/things', open),
    createThing: route('POST', '/v1/things', open),
    readThing: route('GET', '/v1/things/{id}', { ...open, params: id }),
    createMembership: route('POST', '/v1/things/memberships', open),
    readPart: route('GET', '/v1/things/client/{client_id}/{id}', {
      ...open,
      params: () => ({ client_id: z.string(), id: z.string() }),
    }),
    secret: route('GET', '/v1/secret', closed),
    secretThing: route('GET', '/v1/secret/{id}', { ...closed, params: id }),
    firstKey: route('POST', '/v1/keys', { ...closed, auth: 'bearer-optional' }),
    webhook: route('POST', '/v1/hooks', { ...open, auth: 'signature' }),
  },
});

export const proxies = contract({
  name: 'proxies',
  tag: 'Proxies',
  description: 'Greedy paths, which no contract of ours has',
  routes: { proxy: { ...route('GET', '/v1/files', open), path: '/v1/files/{proxy+}' } as Route },
});

export interface Call {
  readonly event: APIGatewayProxyEvent;
  readonly context: Context;
}

/** Returns its event, so that a test sees it. */
const echo: FunctionHandler = (event: never, context: Context) => ({
  statusCode: 200,
  body: JSON.stringify({ event, functionName: context.functionName }),
});

export const allow = (context: Record<string, unknown> = {}, resource: string | string[] = '*') => ({
  principalId: 'somebody',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: resource }],
  },
  context,
});

interface Fakes extends Partial<GatewayOptions> {
  readonly things?: FunctionHandler;
  readonly authorize?: (event: APIGatewayRequestAuthorizerEvent) => unknown;
}

/** Starts a gateway that ends with the test. `failures` collects what it reports. */
export async function fakeGateway({ things: handler = echo, authorize = () => allow(), ...options }: Fakes = {}) {
  const failures: string[] = [];
  const functions: Record<string, FunctionHandler> = { things: handler, proxies: echo, authorizer: authorize };
  const gateway = await startGateway({
    contracts: [things, proxies],
    loadFunction: async (name) => functions[name] ?? Promise.reject(new Error(`no function ${name}`)),
    allowedHosts: ['a', 'api.test'],
    report: (failure, cause) => failures.push(`${failure}: ${cause}`),
    ...options,
  });
  onTestFinished(() => gateway.close());
  return { ...gateway, failures, send: sender(gateway.url) };
}

export interface Sent {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

interface Sending {
  /** Flat list of names and values. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

/** `fetch` corrects what it sends, so tests of odd requests use the plain client. */
const sender =
  (url: string) =>
  (method: string, path: string, { headers = [], body }: Sending = {}): Promise<Sent> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
      const given = ['Host', 'api.test', ...length, ...headers];
      const request = httpRequest({ hostname, port, method, path, headers: given });
      request.once('error', reject);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          resolve({
            ...{ bytes, text, status: response.statusCode ?? 0, rawHeaders: response.rawHeaders },
            headers: new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
            json: text.startsWith('{') ? JSON.parse(text) : {},
          });
        });
      });
      request.end(body);
    });

/** Writes these bytes on a connection and returns all that comes back until it closes. */
export const sendBytes = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let reply = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      reply += chunk;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(reply));
  });

/** The event that an echoing function was called with. */
export const eventOf = (sent: Sent): APIGatewayProxyEvent => sent.json.event as APIGatewayProxyEvent;

/** The event of a request to a gateway of its own. */
export async function eventFor(method: string, path: string, sending: Sending = {}, options: Fakes = {}) {
  const { send } = await fakeGateway(options);
  return eventOf(await send(method, path, sending));
}

/** Status and kind of a problem; the headers that every problem of the gateway must have are checked on the way. */
export function problemOf(sent: Sent): string {
  const { type, status, request_id } = sent.json;
  const complete =
    sent.headers.get('content-type') === 'application/problem+json' &&
    sent.headers.get('x-request-id') === request_id &&
    sent.headers.get('cache-control') === 'no-store' &&
    sent.headers.get('x-content-type-options') === 'nosniff' &&
    (status === undefined || status === sent.status);
  return `${sent.status} ${complete ? String(type).split(':').at(-1) : `incomplete ${sent.text}`}`;
}
