import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tools } from '../../functions/mcp/tools.static.ts';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { agent, LATEST, metaOf } from './mcp-caller.ts';
import '../support/fast-check.ts';

/** No message, whatever is in it, makes the service fail. */

const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());

const names = tools.map(({ tool }) => tool.name);
const properties = [...new Set(tools.flatMap(({ tool }) => Object.keys(tool.inputSchema.properties)))];
const anything = fc.anything({ withNullPrototype: false, maxDepth: 3 });
const json = anything.map((value) => JSON.parse(JSON.stringify(value) ?? 'null'));
const odd = fc.oneof(
  json,
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', '\ud800', '%00', '../..', 'null'),
);
const given = fc.dictionary(fc.oneof(fc.constantFrom(...properties), fc.string()), odd, { maxKeys: 5 });
const params = fc.oneof(
  fc.record({ name: fc.constantFrom(...names), arguments: given }),
  fc.record({ name: fc.oneof(fc.constantFrom(...names), odd), arguments: json, _meta: json }),
  json,
);
const method = fc.constantFrom('tools/call', 'tools/call', 'tools/list', 'initialize', 'server/discover', 'x');
const id = fc.oneof(fc.integer(), fc.string({ maxLength: 20 }));

it('is never a 5xx, and a result of a tool never says 5xx', async () => {
  const { send } = agent(api, org.token, '?toolsets=all&write=replies');
  await fc.assert(
    fc.asyncProperty(method, params, id, fc.boolean(), async (asked, about, name, isLatest) => {
      const { Mcp, ...rest } = { Mcp: asked, ...Object(about) };
      const message = { jsonrpc: '2.0', id: name, method: asked, params: isLatest ? { ...rest, ...metaOf() } : about };
      const headers = { 'MCP-Protocol-Version': LATEST, 'Mcp-Method': Mcp, 'Mcp-Name': encoded(rest.name) };
      const { status, body } = await send(message, isLatest ? headers : {});
      expect([200, 400, 404]).toContain(status);
      const { content, isError } = body.result ?? {};
      if (isError) expect(JSON.parse(content?.[0]?.text ?? '').status).toBeLessThan(500);
    }),
    { numRuns: byExtent({ sample: 60, extended: 400, nightly: 5_000 }) },
  );
});

const encoded = (name: unknown): string => `=?base64?${Buffer.from(String(name)).toString('base64')}?=`;
