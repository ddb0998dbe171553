import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { runOperator } from '../support/operator.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

/** `custodia mcp` as an agent starts it. */

const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());
const ENTRY = join(import.meta.dirname, '../../bin/operator.ts');

interface Said {
  readonly id?: unknown;
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Starts the bridge. `ask` sends a line, and returns the next one that comes. */
function bridge({ secret = org.secret, query = '' } = {}) {
  const args = [ENTRY, 'mcp', '--app-code', org.appCode, '--url', api.url, '--query', query];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, CUSTODIA_SECRET: secret },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = (message: unknown) =>
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const ask = async (message: unknown): Promise<Said> => {
    tell(message);
    return JSON.parse(String((await lines.next()).value));
  };
  const end = async () => {
    child.stdin.end();
    const [code] = await once(child, 'exit');
    return code as number;
  };
  return { tell, ask, end };
}

const request = (id: unknown, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });

describe('custodia mcp', () => {
  it('hands on messages of both eras, and their errors, and ends with its input', async () => {
    const { tell, ask, end } = bridge({ query: 'write=tickets' });
    expect((await ask(request(1, 'initialize', { protocolVersion: '2025-06-18' }))).id).toBe(1);
    // Nothing comes of it.
    tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { result } = await ask(request('a', 'tools/list'));
    expect(result?.tools?.map(({ name }) => name)).toContain('updateTicket');
    const meta = { protocolVersion: '2026-07-28', clientCapabilities: {} };
    const _meta = Object.fromEntries(
      Object.entries(meta).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]),
    );
    expect((await ask(request(2, 'tools/call', { name: 'listClients', _meta }))).result).toHaveProperty('content');
    expect(await ask(request(3, 'tools/call', { name: 'é', _meta }))).toMatchObject({
      id: 3,
      error: { code: -32_602 },
    });
    expect(await ask(request(4, 'no/such', { _meta }))).toMatchObject({ id: 4, error: { code: -32_601 } });
    expect(await ask('{')).toMatchObject({ error: { code: -32_700 } });
    expect(await ask('[]')).toMatchObject({ error: { code: -32_600 } });
    expect(await ask('null')).toHaveProperty('error');
    expect(await end()).toBe(0);
  });

  it('logs in again where its token has ended', async () => {
    const { ask, end } = bridge();
    expect((await ask(request(1, 'ping'))).result).toEqual({});
    const path = `/api/v1/integrations/${org.integrationId}/revoke-tokens?org_id=${org.orgId}`;
    expect((await api.request('POST', path, { token: await api.platformToken() })).status).toBe(200);
    expect((await ask(request(2, 'ping'))).result).toEqual({});
    expect(await end()).toBe(0);
  });

  it('says as an error why it cannot log in, and not with what', async () => {
    const { ask, end } = bridge({ secret: 'cst_wrong' });
    const said = await ask(request(1, 'ping'));
    expect(said).toMatchObject({ id: 1, error: { code: -32_603, message: expect.stringContaining('401') } });
    expect(JSON.stringify(said)).not.toContain('cst_wrong');
    expect(await end()).toBe(0);
  });

  it('wants an integration and its secret', async () => {
    const { code, stderr } = await runOperator(['mcp', '--url', api.url], { CUSTODIA_SECRET: undefined });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--app-code')]);
  });
});
