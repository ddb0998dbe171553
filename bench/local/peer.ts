import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Entity } from 'electrodb';
import fastify from 'fastify';
import { LOCAL_AWS } from '../../local/dynamodb/index.ts';
import { createPeerTable } from '../requests/table.ts';

/**
 * A typical server for the same three requests on one machine: fastify with its JSON schemas, ElectroDB, the same
 * DynamoDB. It has one tenant and no callers; lists have no total, slugs need not be unique, and a create leaves no
 * action.
 */

const TABLE = 'peer';
const endpoint = process.env.DYNAMODB_ENDPOINT ?? '';
await createPeerTable(endpoint, TABLE);

const text = { type: 'string' } as const;
const clients = new Entity(
  {
    model: { service: 'peer', entity: 'client', version: '1' },
    attributes: {
      org: { type: 'string', required: true },
      id: { type: 'string', required: true },
      name: { type: 'string', required: true },
      slug: text,
      timezone: text,
      status: text,
      email: text,
      phone: { type: 'number' },
      plan: text,
      metadata: { type: 'any' },
      created_at: text,
    },
    indexes: { all: { pk: { field: 'PK', composite: ['org'] }, sk: { field: 'SK', composite: ['id'] } } },
  },
  {
    client: DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, ...LOCAL_AWS })),
    table: TABLE,
  },
);

const org = 'acme';
const json = (type: string) => ({ type });
const schema = {
  body: {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 200 },
      slug: { type: 'string', pattern: '^[a-z0-9-]+$' },
      email: { type: 'string', maxLength: 254 },
      phone: json('integer'),
      plan: { type: 'string', maxLength: 100 },
      metadata: json('object'),
    },
  },
};

interface NewClient {
  readonly name: string;
  readonly slug?: string;
}

const app = fastify();

app.post<{ Body: NewClient }>('/api/v1/clients', { schema }, async ({ body }, reply) => {
  const defaults = { timezone: 'Europe/Lisbon', status: 'active', created_at: new Date().toISOString() };
  const { data } = await clients.create({ org, id: randomUUID(), ...defaults, ...body }).go();
  return reply.code(201).send(data);
});

app.get<{ Params: { readonly id: string } }>('/api/v1/clients/:id', async ({ params }, reply) => {
  const { data } = await clients.get({ org, id: params.id }).go({ consistent: true });
  return data ?? reply.code(404).send({ title: 'Not found' });
});

app.get<{ Querystring: { readonly after?: string } }>('/api/v1/clients', async ({ query }) => {
  const { data, cursor } = await clients.query.all({ org }).go({ limit: 25, cursor: query.after ?? null });
  return { data, next: cursor };
});

console.log(`ready at ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
