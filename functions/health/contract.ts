import * as z from 'zod';
import { contract, declared, ok, route } from '#contract';

const check = declared(() =>
  z
    .strictObject({ status: z.literal('ok').describe('That requests are served.') })
    .describe('Whether the service works.')
    .meta({ id: 'HealthCheck' }),
);

export const health = contract({
  name: 'health',
  tag: 'Health',
  description: 'Whether this service works, for monitoring.',
  routes: {
    getHealth: route('GET', '/api/v1/health', {
      summary: 'Check the service',
      description: 'Returns 200 when a request reaches its function and the function can read the database.',
      extension: true,
      auth: 'none',
      response: ok(check, 'The service works.', { status: 'ok' }),
    }),
  },
});
