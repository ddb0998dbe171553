import { addressOf } from '../../local/settings.ts';
import { inputLines, printEach } from '../../local/terminal/output.ts';
import { type Custodia, createCustodia } from '../../packages/client/src/index.ts';
import { command } from '../command.ts';
import { addressIn } from '../import/options.ts';
import { OperatorProblem } from '../problem.ts';

/**
 * `mcp` is a server for a client of the Model Context Protocol that starts it: it logs in, renews its token, and sends
 * each line of standard input to the API. The response is a line of standard output.
 */

const SECRET = 'CUSTODIA_SECRET';

interface McpOptions {
  readonly url?: string;
  readonly appCode?: string;
  readonly query?: string;
}

export const declareMcp = command<McpOptions>({
  name: 'mcp',
  description: 'Serve the tools of an integration to an agent that starts it (MCP over stdio)',
  options: (declared) =>
    declared
      .option('--url <address>', 'where the API is, in front of /api/v1; by default that of npm start', addressIn)
      .option('--app-code <code>', `the integration that calls; its secret is read from ${SECRET}`)
      .option('--query <query>', 'which tools: toolsets=all, write=tickets or write=replies, with & between them', ''),
  examples: ['mcp --app-code agent --url https://api.example.com --query write=tickets'],
  run: async ({ url: baseUrl = addressOf(process.env), appCode, query }) => {
    const secret = process.env[SECRET];
    if (appCode === undefined || !secret)
      throw new OperatorProblem(`Name the integration with --app-code, and its secret in the variable ${SECRET}.`);
    // A call that writes is sent once.
    const once = { fetch: asMessage, retry: { attempts: 1 } };
    const custodia = createCustodia({ baseUrl, credentials: { appCode, secret }, ...once });
    await printEach(responses(custodia, Object.fromEntries(new URLSearchParams(query))));
    return undefined;
  },
});

/** An error of the message is a response to it, whatever the status. */
async function asMessage(request: Request): Promise<Response> {
  const response = await fetch(request);
  const isMessage = response.headers.get('content-type') === 'application/json';
  return isMessage && !response.ok ? new Response(response.body, { headers: response.headers }) : response;
}

async function* responses(custodia: Custodia, query: object): AsyncGenerator<unknown> {
  for await (const line of inputLines()) {
    let id: unknown;
    try {
      const body = JSON.parse(line);
      id = body.id;
      const init = { body, params: { query }, headers: headersOf(body) };
      const { data, response } = await custodia.POST('/api/v1/mcp', init);
      if (response.status !== 202) yield data;
    } catch (error) {
      const code = error instanceof SyntaxError ? -32_700 : -32_603;
      yield { jsonrpc: '2.0', id, error: { code, message: String(error) } };
    }
  }
}

/** What HTTP repeats of the message; older clients have none of it. */
function headersOf({ method, params }: { readonly method: string; readonly params?: Record<string, unknown> }) {
  const version = Object(params?._meta)['io.modelcontextprotocol/protocolVersion'];
  const name = Buffer.from(String(params?.name)).toString('base64');
  const named = { 'MCP-Protocol-Version': version, 'Mcp-Method': method, 'Mcp-Name': `=?base64?${name}?=` };
  return version === undefined ? {} : named;
}
