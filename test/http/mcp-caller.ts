import type { Api, ApiResponse, JsonBody } from '../support/api.ts';

export const PATH = '/api/v1/mcp';
const META = 'io.modelcontextprotocol';
export const LATEST = '2026-07-28';

export interface Result extends JsonBody {
  readonly content: readonly { readonly text: string }[];
  readonly tools: readonly { readonly name: string; readonly inputSchema: { readonly properties: JsonBody } }[];
  readonly isError?: boolean;
}

export interface Reply extends JsonBody {
  readonly result: Result;
  readonly error: { readonly code: number; readonly message: string; readonly data?: JsonBody };
}

/** What a request of the latest version says of itself. */
export const metaOf = (version: unknown = LATEST, capabilities: unknown = {}) => ({
  _meta: { [`${META}/protocolVersion`]: version, [`${META}/clientCapabilities`]: capabilities },
});

/** An agent of this token, of the latest version or of an older one. */
export function agent(api: Api, token: string, query = '') {
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse<Reply>> =>
    api.request<Reply>('POST', `${PATH}${query}`, { token, body, headers });
  /** As an older client sends it. */
  const ask = (method: string, params?: unknown) => send({ jsonrpc: '2.0', id: 1, method, params });
  const latest = (method: string, params: JsonBody = {}, headers: Record<string, string> = {}) =>
    send(
      { jsonrpc: '2.0', id: 1, method, params: { ...metaOf(), ...params } },
      {
        ...{ 'MCP-Protocol-Version': LATEST, 'Mcp-Method': method },
        ...(typeof params.name === 'string' && { 'Mcp-Name': params.name }),
        ...headers,
      },
    );
  /** Calls a tool, which must not be an error of the message. */
  const call = async (name: string, given: unknown = {}): Promise<Result> => {
    const { status, body } = await ask('tools/call', { name, arguments: given });
    if (status !== 200 || body.result === undefined) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.result;
  };
  /** The record, list or problem that a tool returns. */
  const read = async (name: string, given: unknown = {}): Promise<JsonBody> => {
    const { content, isError } = await call(name, given);
    return JSON.parse(content[isError ? 0 : 1]?.text ?? '');
  };
  const tools = async () => (await ask('tools/list')).body.result.tools.map(({ name }) => name);
  return { send, ask, latest, call, read, tools };
}
