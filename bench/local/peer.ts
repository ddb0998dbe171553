import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { clients } from '../../functions/clients/contract.ts';
import { LOCAL_AWS } from '../../local/dynamodb/index.ts';
import { authorizerContext } from '../../test/support/caller.ts';
import { lambdaContext } from '../../test/support/lambda-context.ts';
import { proxyEventOf } from '../../test/support/proxy-event.ts';
import { middyPeer } from '../peer/middy.ts';
import { createPeerTable } from '../peer/table.ts';

/** The peer's API (`bench/peer`) over HTTP, in a process of its own. It has one tenant and authenticates nobody. */

const TABLE = 'peer';
const endpoint = process.env.DYNAMODB_ENDPOINT ?? '';
await createPeerTable(endpoint, TABLE);

const functions = middyPeer({ endpoint, ...LOCAL_AWS }, TABLE);
const caller = authorizerContext('6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d', {});

const routeOf = ({ method, url = '' }: IncomingMessage) => {
  if (method === 'POST') return clients.routes.createClient;
  return url.split('/').length > 4 ? clients.routes.getClient : clients.routes.listClients;
};

async function eventOf(request: IncomingMessage): Promise<APIGatewayProxyEvent> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const event = proxyEventOf({ route: routeOf(request), path: request.url ?? '', caller });
  return { ...event, body: Buffer.concat(chunks).toString() };
}

const server = createServer(async (request, response) => {
  const { statusCode, headers, body } = await functions(routeOf(request))(await eventOf(request), lambdaContext());
  response.writeHead(statusCode, headers as Record<string, string>).end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
