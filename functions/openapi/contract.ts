import * as z from 'zod';
import { contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';

const openApiDocument = declared(() =>
  z
    .strictObject({
      openapi: z.literal('3.1.0').describe('Version of the format.'),
      info: z
        .looseObject({
          title: field.text(200).describe('What the service is.'),
          version: field.text(20).describe('Version of the interface, not of the software.'),
          description: field.text(10_000).describe('How to begin, in Markdown.'),
        })
        .describe('What the document is about.'),
      servers: z
        .array(z.looseObject({ url: field.text(2048).describe('Address below which the paths begin.') }))
        .max(10)
        .describe('Where the service is.'),
      tags: z.array(field.anyJsonObject()).max(100).describe('The groups of operations, in reading order.'),
      paths: field.anyJsonObject().describe('All operations, by path and method.'),
      components: field.anyJsonObject().describe('What operations have in common, by kind and name.'),
    })
    .describe('An OpenAPI 3.1.0 document (https://spec.openapis.org/oas/v3.1.0).')
    .meta({ id: 'OpenApiDocument' }),
);

/** Without paths and schemas: the document cannot contain itself. */
const example = {
  openapi: '3.1.0',
  info: {
    title: 'Custodia API',
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
