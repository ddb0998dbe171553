/**
 * The official client of the Model Context Protocol, in each way of finding out which version a server speaks: over
 * HTTP, and over the bridge that it starts. `API`, `APP`, `SECRET`, `TOKEN` and `CUSTODIA`, the command line.
 */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { API, APP, SECRET, TOKEN, CUSTODIA } = process.env;

const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(`${API}/api/v1/mcp?write=tickets`), {
    requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
  });

const overBridge = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [CUSTODIA, 'mcp', '--app-code', APP, '--url', API, '--query', 'write=tickets'],
    env: { ...process.env, CUSTODIA_SECRET: SECRET },
  });

const MODES = [
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  [{ pin: '2026-07-28' }, '2026-07-28'],
];

for (const transport of [overHttp, overBridge]) {
  for (const [mode, version] of MODES) {
    const client = new Client({ name: 'check', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport());
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual([names.length, names.includes('updateTicket')], [21, true]);
    const { content } = await client.callTool({ name: 'listClients', arguments: { page_size: 1 } });
    assert.equal(JSON.parse(content[1].text).page_size, 1);
    const refused = await client.callTool({ name: 'getTicket', arguments: { id: 'x' } });
    assert.equal(refused.isError, true);
    await assert.rejects(client.callTool({ name: 'deleteTicket', arguments: {} }), /Unknown tool/);
    await client.close();
  }
}
