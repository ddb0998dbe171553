import * as z from 'zod';
import { anyJsonObject, text } from '../../shared/contract/fields.ts';
import { declared } from '../../shared/contract/record.ts';
import { contract, ok, route } from '../../shared/contract/route.ts';

const openApiDocument = declared(() =>
  z
    .strictObject({
      openapi: z.literal('3.1.0'),
      info: z.looseObject({ title: text(200), version: text(20), description: text(10_000) }),
      servers: z.array(z.looseObject({ url: text(2048) })).max(10),
      tags: z.array(anyJsonObject()).max(100),
      paths: anyJsonObject(),
      components: anyJsonObject(),
    })
    .meta({ id: 'OpenApiDocument' }),
);

/** Without paths and schemas: the document cannot contain itself. */
const example = {
  openapi: '3.1.0',
  info: {
    title: 'Multi-Tenant Client, Service and Resource Management API',
    version: '1.0.0',
    description: 'Clients, their services and resources.',
  },
  servers: [{ url: '/' }],
  tags: [],
  paths: {},
  components: { schemas: {} },
};

export const openapi = contract({
  name: 'openapi',
  tag: 'Service description',
  description: 'What this service offers, for machines.',
  routes: {
    getOpenApi: route('GET', '/api/v1/openapi', {
      summary: 'Read the OpenAPI document',
      description: 'This document: OpenAPI 3.1.0, complete.',
      auth: 'none',
      response: ok(openApiDocument, 'The OpenAPI document of this service.', example),
    }),
  },
});
