import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { counterKeyOf } from '@custodia/counted-lists/maintenance';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configureTable } from '#table';
import { kinds } from '../../operator/kinds.ts';
import { suspendOrganization } from '../../operator/suspending.ts';
import { type AllOptions, openProgress, type RunOfVerify, verifyAll } from '../../operator/verify-all.ts';
import type { OrgAccess } from '../support/api.ts';
import { bodyOf, FaultyHandler } from '../support/faults.ts';
import { tableAt } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';

/** `custodia verify --all`: every tenant for itself, and where a run that was interrupted goes on. */

/** Refuses what is asked of one tenant, as a tenant whose data cannot be read. */
class Refusing extends FaultyHandler {
  tenant = 'nobody';
  override async handle(...[request, options]: Parameters<FaultyHandler['handle']>) {
    if (bodyOf(request).includes(`ORG#${this.tenant}#CLIENT`)) throw new Error('no such tenant');
    return super.handle(request, options);
  }
}

const wire = new Refusing();
const api = useApi();
let table: Table;
let orgs: readonly OrgAccess[];
let directory: string;
let file: string;
beforeAll(async () => {
  table = tableAt(api.table);
  orgs = [await api.orgToken(), await api.orgToken(), await api.orgToken()];
  for (const { token } of orgs) {
    await api.request('POST', '/api/v1/clients', { token, body: { name: 'Bistro' } });
  }
  await suspendOrganization(id(1));
  directory = mkdtempSync(join(tmpdir(), 'custodia-'));
  configureTable({ requestHandler: wire });
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  wire.tenant = 'nobody';
  file = join(directory, `${crypto.randomUUID()}.progress`);
  for (const index of [0, 1, 2]) await forgetFilters(id(index));
});

const id = (index: number): string => orgs[index]?.orgId ?? '';
const RUN: RunOfVerify = { table: 'custodia-test', repair: true, lists: { CLIENT: ['status'] } };

/** Of the filters of clients nobody knows then whether they are built. */
const forgetFilters = (org: string) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...counterKeyOf(`ORG#${org}#CLIENT`) },
      UpdateExpression: 'REMOVE FILTERS',
    }),
  );

/** One kind is as good as all: what is found in each is tested elsewhere. */
const CLIENTS = kinds.filter(({ entity }) => entity.name === 'CLIENT');

const run = async (options: Partial<AllOptions> = {}) => {
  await using progress = await openProgress(file, RUN);
  return await verifyAll(CLIENTS, { repair: true, concurrency: 4, progress, ...options });
};

describe('all tenants', () => {
  it('are verified and repaired, with the platform and suspended organizations', async () => {
    const found = await run();
    expect(found).toMatchObject({ tenants: 4, earlier: 0, failed: [] });
    const repaired = found.differences.filter((each) => each.repaired).map(({ org_id, field }) => [org_id, field]);
    expect(new Set(repaired.map(([org]) => org))).toEqual(new Set([id(0), id(1), id(2)]));
    expect(repaired).toHaveLength(3 * 3);
    expect(found.units).toBeGreaterThan(10);
    expect(existsSync(file), 'nothing is left to do').toBe(false);
    expect(await run({ repair: false })).toMatchObject({ tenants: 4, differences: [] });
  });

  it('are as many at the same time as is said, and no more', async () => {
    for (const concurrency of [1, 3]) {
      let begun = 0;
      let most = 0;
      const onProgress = (finished: number): void => {
        begun += 1;
        most = Math.max(most, begun - finished);
      };
      await run({ concurrency, repair: false, progress: undefined, onProgress });
      expect([begun, most]).toEqual([4 + 1, concurrency]);
    }
  });

  it('continue where one fails, which is reported at the end and repeated by the next run', async () => {
    wire.tenant = id(1);
    const found = await run();
    expect(found).toMatchObject({ tenants: 3, failed: [{ org_id: id(1), error: expect.any(Error) }] });
    expect(new Set(found.differences.map(({ org_id }) => org_id))).toEqual(new Set([id(0), id(2)]));
    wire.tenant = 'nobody';
    const rest = await run();
    expect(rest).toMatchObject({ tenants: 1, earlier: 3, failed: [] });
    expect(new Set(rest.differences.map(({ org_id }) => org_id))).toEqual(new Set([id(1)]));
    expect(existsSync(file)).toBe(false);
  });

  it('in which something still differs are looked at again', async () => {
    await run({ repair: false });
    expect(await run({ repair: false })).toMatchObject({ tenants: 3, earlier: 1 });
  });
});

describe('the progress', () => {
  it('is on the disk for each tenant that is done, and a line that was cut off counts for nothing', async () => {
    const seen: string[] = [];
    wire.tenant = id(2);
    await run({ concurrency: 1, onProgress: () => seen.push(readFileSync(file, 'utf8')) });
    const lines = [
      JSON.stringify({ run: RUN }),
      '{"tenant":"PLATFORM"}',
      `{"tenant":"${id(0)}"}`,
      `{"tenant":"${id(1)}"}`,
    ];
    expect(seen.map((text) => text.split('\n').slice(0, -1))).toEqual([
      lines.slice(0, 1),
      lines.slice(0, 2),
      lines.slice(0, 3),
      lines,
      lines,
    ]);
    wire.tenant = 'nobody';
    const text = lines.join('\n');
    for (const [length, earlier] of [
      [10, 0],
      [text.indexOf(id(0)), 1],
      [text.length - 1, 2],
    ] as const) {
      writeFileSync(file, text.slice(0, length));
      expect((await run({ repair: false })).earlier).toBe(earlier);
    }
    // Nor does it stay in the way of the next ones.
    writeFileSync(file, text.slice(0, -1));
    wire.tenant = id(2);
    await run({ repair: false });
    wire.tenant = 'nobody';
    expect((await run({ repair: false })).earlier).toBe(3);
  });

  it.each([
    ['of another table', `${JSON.stringify({ run: { ...RUN, table: 'other' } })}\n`],
    ['of a run without --repair', `${JSON.stringify({ run: { ...RUN, repair: false } })}\n`],
    [
      'of a release with other filters',
      `${JSON.stringify({ run: { ...RUN, lists: { CLIENT: ['status', 'plan'] } } })}\n`,
    ],
    ['that is another file', '{\n  "custodia-prod": {}\n}'],
    ['with a line that is none', `${JSON.stringify({ run: RUN })}\nsomething\n`],
  ])('%s is refused, and left as it is', async (_, text) => {
    writeFileSync(file, text);
    await expect(openProgress(file, RUN)).rejects.toThrow(`${file} is not the progress of this run`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is reported where it cannot be written', async () => {
    await expect(openProgress(directory, RUN)).rejects.toThrow(`--progress ${directory} cannot be opened.`);
  });
});
