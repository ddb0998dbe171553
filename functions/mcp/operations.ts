import { maxBodyOf, originsOf, Problem } from '#contract';
import { type MatchedRoute, type Operations, readBody, respond } from '#http';
import { isObject } from '../../shared/well-formed.ts';
import { callTool, type Input } from './call.ts';
import { mcp } from './contract.ts';
import { instructionsFor, toolsFor } from './offered.ts';
import { eraOf, isKind, LATEST, LEGACY, META, type Message, RpcError } from './protocol.ts';
import { serverInfo } from './tools.static.ts';

const { sendMcpMessage: route } = mcp.routes;

/** @param tables the routes of domains, of which some are tools */
export const mcpOperations = (tables: readonly ReadonlyMap<string, MatchedRoute>[]): Operations<typeof mcp> => {
  const routes = new Map(tables.flatMap((table) => [...table.values()]).map((each) => [each.operationId, each]));
  return {
    sendMcpMessage: async (input) => {
      requireOrigin(input.batchRequest);
      let id: Message['id'];
      try {
        const message = messageOf(input.batchRequest);
        id = message.id;
        if (id === undefined) return { ...respond.text('', {}), status: 202 };
        return reply({ id, result: await resultOf(message, input, routes) });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        return { ...reply({ id, error: error.error }), status: error.status };
      }
    },
  };
};

const reply = (members: object) =>
  respond.text(JSON.stringify({ jsonrpc: '2.0', ...members }), { 'Content-Type': 'application/json' });

/**
 * Pages of other sites must not call a server on this machine by its name (DNS rebinding).
 * @throws Problem `forbidden`
 */
function requireOrigin({ request }: Input['batchRequest']): void {
  const origin = request.headers.get('origin');
  const allowed = [...(originsOf(process.env.CORS_ORIGINS ?? '') ?? []), new URL(request.baseUrl).origin];
  if (origin === undefined || allowed.includes(origin) || allowed.includes('*')) return;
  throw new Problem('forbidden', { detail: 'Pages of this origin may not call: the stage names those that may.' });
}

/** @throws RpcError where it is none; Problem where it is too large, or its media type another */
function messageOf({ request }: Input['batchRequest']): Message {
  try {
    return readBody(route.body, request, maxBodyOf(route)).fields as unknown as Message;
  } catch (error) {
    if (!(error instanceof Problem) || !isKind(error.type)) throw error;
    const findings = error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
    throw new RpcError(error.type, [error.message, ...findings].join('; ').slice(0, 1_000));
  }
}

/** Older clients leave alone what they do not know. */
const complete = (result: object) => ({
  resultType: 'complete',
  ...result,
  ...('ttlMs' in result && { cacheScope: 'private' }),
  _meta: { [`${META}/serverInfo`]: serverInfo },
});

/** @throws RpcError */
async function resultOf(message: Message, input: Input, routes: ReadonlyMap<string, MatchedRoute>): Promise<object> {
  const { method, params = {} } = message;
  const { caller, query, batchRequest } = input;
  const era = eraOf(message, batchRequest.request.headers);
  const about = { capabilities: { tools: {} }, instructions: instructionsFor(query) };
  switch (`${era} ${method}`) {
    case 'latest server/discover':
      return complete({ supportedVersions: [LATEST], ...about, ttlMs: 3_600_000 });
    case 'legacy initialize': {
      const protocolVersion = LEGACY.find((each) => each === params.protocolVersion) ?? LEGACY[0];
      return { protocolVersion, serverInfo, ...about };
    }
    case 'legacy ping':
      return {};
    case `${era} tools/list`:
      if (params.cursor !== undefined) throw new RpcError('params', 'All tools are on one page, without a cursor', 200);
      return complete({ tools: toolsFor(caller, query), ttlMs: 300_000 });
    case `${era} tools/call`: {
      const { name, arguments: given = {} } = params;
      const matched = toolsFor(caller, query).some((tool) => tool.name === name) && routes.get(String(name));
      if (!matched || !isObject(given))
        throw new RpcError('params', matched ? 'arguments: no object' : 'Unknown tool', 200);
      return complete(await callTool(matched, given, input));
    }
    default:
      throw new RpcError('method', 'Method not found', era === 'legacy' ? 200 : 404);
  }
}
