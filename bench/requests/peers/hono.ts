import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Context, Hono, type Next } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import type { HandlerOf } from '../contender.ts';
import { INVALID, NOT_FOUND, type PeerInput, type PeerRoute, peerCallerOf } from './api.ts';

interface Env {
  readonly Bindings: { readonly event: APIGatewayProxyEvent };
  readonly Variables: { input: Omit<PeerInput, 'caller'> };
}

/** Hono behind its adapter for Lambda, zod's schemas in a middleware of its own. */
export function honoFunctions(routes: readonly PeerRoute[]): HandlerOf {
  const app = new Hono<Env>();
  for (const each of routes) {
    const { route, run } = each;
    const path = route.path.replace(/\{(\w+)\}/, ':$1');
    app.on(route.method, path, validated(each), async (c) => {
      const found = await run({ caller: peerCallerOf(c.env.event), ...c.get('input') });
      return found === undefined ? c.json(NOT_FOUND, 404) : c.json(found, route.response.status as 200);
    });
  }
  const handler = handle(app);
  return () => (event, context) => handler(event as unknown as LambdaEvent, context as never) as never;
}

const validated =
  ({ params, query, body }: PeerRoute) =>
  async (c: Context<Env>, next: Next) => {
    const parsed = {
      params: params?.safeParse(c.req.param()),
      query: query?.safeParse(c.req.query()),
      body: body?.safeParse(await c.req.json()),
    };
    const issues = Object.values(parsed).flatMap((result) => result?.error?.issues ?? []);
    if (issues.length > 0) return c.json({ ...INVALID, errors: issues }, 422);
    c.set('input', { params: parsed.params?.data, query: parsed.query?.data, body: parsed.body?.data });
    return next();
  };
