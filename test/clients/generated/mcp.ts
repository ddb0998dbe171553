import { once } from 'node:events';
import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { callersAt } from '../../support/api.ts';
import { type Address, run } from './commands.ts';

/** The official client and the official conformance suite of the Model Context Protocol. */

export const MCP_CLIENT = '@modelcontextprotocol/client@2.4.0';
/** The first version that knows 2026-07-28 is no release yet. */
export const MCP_CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

const ROOT = join(import.meta.dirname, '../../..');

const install = (folder: string, name: string) =>
  run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder, name]);

export async function runMcpClient(folder: string, { url, platform }: Address): Promise<void> {
  await install(folder, MCP_CLIENT);
  const { token, appCode, secret } = await callersAt(url, platform).orgToken();
  copyFileSync(join(import.meta.dirname, 'mcp_client.mjs'), join(folder, 'client.mjs'));
  const CUSTODIA = join(ROOT, 'bin/operator.ts');
  await run(folder, process.execPath, ['client.mjs'], {
    API: url,
    APP: appCode,
    SECRET: secret,
    TOKEN: token,
    CUSTODIA,
  });
}

/**
 * The scenarios that a server of tools without tools, prompts and resources of the suite's own can be asked. Left out:
 * - `tools-call-*`, `json-schema-2020-12`, `input-required-result-*`, `http-custom-header-server-validation`,
 *   `server-sse-*`, `elicitation-*`: they call tools of the suite, `test_…`;
 * - `prompts-*`, `resources-*`, `completion-complete`, `logging-set-level`, `sep-2164-…`: no such capability;
 * - `tasks-*`, `sep-2640-*`: extensions.
 */
const SCENARIOS = [
  ['2025-06-18', ['server-initialize', 'ping', 'tools-list']],
  ['2025-11-25', ['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'dns-rebinding-protection']],
  ['2026-07-28', ['server-stateless', 'tools-list', 'dns-rebinding-protection', 'caching', 'http-header-validation']],
] as const;

/** Checks within these that need a tool of the suite, prompts or resources. */
const NOT_HERE: readonly RegExp[] = [
  /^sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400)$/,
  /^sep-2575-(http-server-no-independent-requests-on-stream|server-no-log-without-loglevel)$/,
  /^sep-2549-(prompts|resources|resources-templates)-list-caching-hints$/,
];

interface Checked {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export async function runMcpConformance(folder: string, { url, platform }: Address): Promise<void> {
  await install(folder, MCP_CONFORMANCE);
  const { token } = await callersAt(url, platform).orgToken();
  const proxy = await withToken(url, token);
  const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  try {
    for (const [version, scenarios] of SCENARIOS) {
      for (const scenario of scenarios) {
        const to = join(folder, version, scenario);
        const args = ['--url', `${proxy.url}/api/v1/mcp`, '--scenario', scenario, '--spec-version', version, '-o', to];
        // It fails where a check does that is not for this server.
        await run(folder, process.execPath, [suite, 'server', ...args]).catch(() => undefined);
        const [file = ''] = globSync('*/checks.json', { cwd: to });
        const checks: readonly Checked[] = JSON.parse(readFileSync(join(to, file), 'utf8'));
        const failed = checks.filter(
          ({ id, status }) => status === 'FAILURE' && !NOT_HERE.some((each) => each.test(id)),
        );
        if (failed.length > 0 || checks.length === 0)
          throw new Error(`${scenario} of ${version}: ${JSON.stringify(failed, null, 2)}`);
      }
    }
  } finally {
    proxy.close();
  }
}

/** A server that hands on each request with a token: the suite has no option for headers. */
async function withToken(url: string, token: string) {
  const { host } = new URL(url);
  const server = createServer((asked, reply) => {
    const own = asked.headers.host ?? '';
    const isOwn = own === address() || own === `localhost:${port()}`;
    const headers = { ...asked.headers, authorization: `Bearer ${token}`, host: isOwn ? host : own };
    if (asked.headers.origin === `http://${own}` && isOwn) headers.origin = `http://${host}`;
    const passed = request(`${url}${asked.url}`, { method: asked.method, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(reply);
    });
    asked.pipe(passed);
  });
  const port = () => (server.address() as AddressInfo).port;
  const address = () => `127.0.0.1:${port()}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://${address()}`, close: () => server.close() };
}
