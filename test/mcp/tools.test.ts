import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { toolsFor } from '../../functions/mcp/offered.ts';
import { tools } from '../../functions/mcp/tools.static.ts';
import { aCaller } from '../support/caller.ts';

/** The tools that are made of the contracts. */

const routes = new Map(contracts.flatMap(({ routes }) => Object.entries(routes)));
const all = aCaller(randomUUID());
const namesFor = (query: Parameters<typeof toolsFor>[1]): string[] => toolsFor(all, query).map(({ name }) => name);

describe('the list of tools', () => {
  it('takes at most 4,000 tokens, four bytes each', () => {
    const result = { resultType: 'complete', tools: toolsFor(all, {}), ttlMs: 300_000, cacheScope: 'private' };
    expect(Buffer.byteLength(JSON.stringify(result)) / 4).toBeLessThanOrEqual(4_000);
  });

  it('has 19 readers of the day, further ones of all, and two writers, in the order of the contracts', () => {
    const counts = [{}, { toolsets: 'all' }, { write: 'tickets' }, { write: 'replies' }].map(namesFor);
    expect(counts.map(({ length }) => length)).toEqual([19, tools.length - 2, 21, 21]);
    const order = [...routes.keys()];
    for (const names of counts) expect(names).toEqual(names.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
  });

  it('has nothing of keys, roles, memberships and sign-in, and nothing that deletes', () => {
    const areas = new Set(tools.map(({ permission }) => permission.split(':')[0]));
    for (const area of ['integrations', 'roles', 'memberships', 'permissions', 'identity-providers', 'orgs', 'audit'])
      expect(areas).not.toContain(area);
    const writing = tools.filter(({ tool }) => routes.get(tool.name)?.method !== 'GET').map(({ tool }) => tool.name);
    expect(writing).toEqual(['updateTicket', 'createTicketMessage']);
    for (const { tool } of tools) expect(tool.name).not.toMatch(/access|identit|membership|role|secret/i);
  });
});

describe.each(tools.map(({ tool, ...entry }) => [tool.name, tool, entry] as const))(
  'the tool %s',
  (name, tool, entry) => {
    it('takes what its operation takes, and needs what that needs', () => {
      const route = routes.get(name);
      if (route === undefined) throw new Error(`there is no ${name}`);
      const { params, query, body, method, permission, clientScope = false } = route;
      const taken = [params, query, body?.schema].flatMap((schema) => Object.keys(schema?.shape ?? {}));
      const others = Object.keys(tool.inputSchema.properties).filter((property) => !taken.includes(property));
      expect(others).toEqual(method === 'POST' ? ['idempotency_key'] : []);
      expect(taken).toEqual(expect.arrayContaining([...(tool.inputSchema.required ?? [])]));
      expect(tool.inputSchema.required ?? []).toEqual(expect.arrayContaining(Object.keys(params.shape)));
      expect([entry.permission, entry.clientScope]).toEqual([permission, clientScope]);
      expect(tool.annotations.readOnlyHint).toBe(method === 'GET');
    });

    it('says what it does in the words of the contract', () => {
      expect(tool.description.startsWith(routes.get(name)?.summary ?? '-')).toBe(true);
      expect(tool.description).not.toMatch(/\.$/);
    });
  },
);
