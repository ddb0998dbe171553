import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { configureTable } from '#table';
import type { OrgAccess } from '../support/api.ts';
import { canonicalDumpOf } from '../support/canonical-dump.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { freshDirectory } from '../support/directory.ts';
import { byExtent } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { useTableOver } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';
import { differencesOf } from './damaged-tenant.ts';
import { imported, type Line } from './imported.ts';

/**
 * An import that is killed in the middle, on its side or that of the service, and started again, leaves what a clean
 * one does.
 */

const api = useApi({ report: () => undefined });
afterAll(() => configureTable({}));

/** An export of some records of each kind that refer to each other. */
function fileOf(count: number): Line[] {
  const lines: Line[] = [];
  const add = (type: string, record: Record<string, unknown>): string => {
    const id = randomUUID();
    lines.push({ type, record: { id, ...record } } as unknown as Line);
    return id;
  };
  for (let index = 0; index < count; index++) {
    const name = `Number ${index}`;
    const client_id = add('Client', {
      name,
      slug: `slug-${index}`,
      email: `mail@${index}.example`,
      status: index % 2 ? 'held' : 'active',
    });
    const service_id = add('Service', {
      client_id,
      name,
      type: 'web',
      health_status: index % 3 ? 'healthy' : 'down',
      tags: ['a', `t${index % 2}`],
    });
    add('Resource', {
      client_id,
      service_id,
      name,
      type: 'vm',
      external_id: `i-${index}`,
      ip_address: `10.0.0.${index}`,
    });
    add('Terminal', { client_id, name, location: 'Front desk' });
    add('User', { name, email: `user${index}@example.com` });
    const subject = `Printer ${index} is silent`;
    add('Ticket', {
      client_id,
      service_id,
      contact_id: client_id,
      subject,
      description: 'd',
      source: 'web',
      tags: ['vip'],
      ticket_code: `C-${index}`,
    });
  }
  return lines;
}

const COUNT = 6;
const lines = fileOf(COUNT);
let clean: readonly string[];

it('two clean imports of a file leave the same items', async () => {
  const org = await api.orgToken('Clean');
  const { progress } = await imported(api, lines, org);
  expect(progress).toMatchObject({ created: lines.length, failed: 0 });
  clean = await canonicalDumpOf(api.table, org.orgId);
  const other = await api.orgToken('Clean, too');
  await imported(api, lines, other);
  expect(await differencesFromClean(other)).toEqual([]);
  expect(clean.length).toBeGreaterThan(20 * COUNT);
});

/** The items that only one of them has. */
async function differencesFromClean({ orgId }: OrgAccess): Promise<string[]> {
  const left = await canonicalDumpOf(api.table, orgId);
  const count = (all: readonly string[], one: string) => all.filter((each) => each === one).length;
  return [...new Set([...clean, ...left])]
    .filter((one) => count(clean, one) !== count(left, one))
    .map((one) => `${count(left, one) - count(clean, one)} ${one.slice(0, 600)}`);
}

const FAULTS: readonly Fault[] = ['crash', 'crash-after', 'reply-lost', 'forgotten', 'applied-server-error'];
/** How one run ends. */
const kill = fc.oneof(
  fc.record({ fault: fc.constantFrom(...FAULTS), at: fc.nat(400) }),
  fc.record({ lost: fc.nat(6) }),
);
type Kill = typeof kill extends fc.Arbitrary<infer K> ? K : never;

/** A run whose service meets a fault, or which ends when so many responses have come, and loses the last. */
async function killed(how: Kill, org: OrgAccess, file: string): Promise<void> {
  let left = 'lost' in how ? how.lost : Number.POSITIVE_INFINITY;
  const fetch = async (request: Request): Promise<Response> => {
    if (left < 0) throw new TypeError('the process has ended');
    const response = await api.fetch(request);
    if (left-- === 0) throw new TypeError('the process has ended');
    return response;
  };
  const handler = new ConflictingHandler(new Conflicts({ sends: 1 }));
  handler.follow(({ index }) => ('fault' in how && index === how.at ? how.fault : undefined));
  useTableOver(handler);
  await imported(api, lines, org, { file, fetch }).catch(() => undefined);
  configureTable({});
}

it('an import that is killed and started again is a clean one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(kill, { minLength: 1, maxLength: 3 }), async (kills) => {
      const org = await api.orgToken('Killed');
      const file = join(await freshDirectory(), 'export.ndjson');
      for (const how of kills) await killed(how, org, file);
      // What a fault has refused is sent again, and so often that nothing is left.
      const { progress } = await imported(api, lines, org, { file });
      expect(progress.failed).toBe(0);
      expect(await differencesFromClean(org)).toEqual([]);
      expect(await differencesOf(org.orgId)).toEqual([]);
    }),
    { numRuns: byExtent({ sample: 1, extended: 3, nightly: 100 }), endOnFailure: true },
  );
});
