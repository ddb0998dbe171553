import * as z from 'zod';
import { body, contract, declared, ok, route } from '#contract';
import * as field from '#contract/field';

const version = () => z.literal('2.0').describe('Version of JSON-RPC.');

/** JSON-RPC allows null, MCP does not. */
const isRequestId = (value: unknown): boolean =>
  typeof value === 'string' ? /^\P{C}{0,200}$/u.test(value) : Number.isSafeInteger(value);

const INTEGER = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const;

const requestId = (description: string) =>
  z
    .custom<string | number>(isRequestId, { error: 'must be a string of up to 200 characters, or a whole number' })
    .meta({ ...field.shownAs({ anyOf: [{ type: 'string', maxLength: 200 }, INTEGER] }), examples: [1] })
    .optional()
    .describe(description);

const object = (description: string, example: object) =>
  field
    .anyJsonObject()
    .optional()
    .describe(description)
    .meta({ examples: [example] });

const message = body('McpMessage', () => ({
  jsonrpc: version(),
  id: requestId('Names the request; a message without one is a notification.'),
  method: field
    .text(200, 1)
    .describe('What is asked for.')
    .meta({ examples: ['tools/list'] }),
  params: object('What the method takes. `_meta` says which version is spoken.', { name: 'listTickets' }),
})).describe('A message of the Model Context Protocol: a request or a notification of JSON-RPC 2.0.');

const reply = declared(() =>
  z
    .strictObject({
      jsonrpc: version(),
      id: requestId('That of the request; missing where it could not be read.'),
      result: object('What the method returns. A tool may have failed: `isError`.', { tools: [] }),
      error: object('Why the message was refused.', { code: -32_601, message: 'Method not found' }),
    })
    .describe('The response to a request of the Model Context Protocol: a result or an error.')
    .meta({ id: 'McpResponse' }),
);

export const mcp = contract({
  name: 'mcp',
  tag: 'Agents',
  description: 'The Model Context Protocol, for agents: operations of this API as tools.',
  mainOperation: 'sendMcpMessage',
  routes: {
    sendMcpMessage: route('POST', '/api/v1/mcp', {
      summary: 'Send a message of the Model Context Protocol',
      description:
        'Stateless (2026-07-28), and for older clients by `initialize` without a session. Tools are operations of ' +
        'this document, for those who have their permissions. A call counts to the request budget beside the message.',
      extension: true,
      permission: null,
      query: () => ({
        toolsets: z
          .enum(['day', 'all'])
          .default('day')
          .describe('Which tools that read: those of the day, or all of records, events and logs.'),
        write: z
          .enum(['tickets', 'replies'])
          .optional()
          .describe('Also tools that write: changes of tickets and internal messages; `replies`: to customers, too.'),
      }),
      body: message,
      bodyExample: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      rpc: { accepted: 'The notification was read. Nothing follows from it.' },
      response: ok(reply, 'What became of the request.', { jsonrpc: '2.0', id: 1, result: { tools: [] } }),
    }),
  },
});
