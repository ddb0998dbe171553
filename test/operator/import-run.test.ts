import { randomUUID } from 'node:crypto';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile } from '../../operator/import/check-file.ts';
import { importKinds } from '../../operator/import/kinds.ts';
import { formOf } from '../../operator/import/options.ts';
import { References } from '../../operator/import/references.ts';
import { Report } from '../../operator/import/report.ts';
import { linesOfRun, progressLine } from '../../operator/import/results.ts';
import { importFile, type Progress } from '../../operator/import/run.ts';
import { fakeClient, type Reply } from '../clients/fake.ts';
import { FakeBatch, refusedWith } from '../clients/fake-batch.ts';
import { freshDirectory } from '../support/directory.ts';

/** How `custodia import` sends a file, and goes on after an interruption, over an API in memory. */

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-20T09:30:00.000Z');

interface Options {
  readonly type?: string;
  readonly now?: number;
  readonly sendUnknown?: boolean;
  readonly report?: string;
  readonly appCode?: string;
  readonly upsert?: true;
  readonly stopped?: AbortSignal;
}

/** Imports a file as the command does, and says what was done. */
async function imported(file: string, reply: Reply, options: Options = {}): Promise<Progress> {
  const { type, now = NOW, sendUnknown = false, report: path = `${file}.report`, appCode = 'acme' } = options;
  const form = formOf(file, { ...(type !== undefined && { type }), ...(options.upsert && { upsert: true }) });
  const references = new References(importKinds);
  const checked = await checkFile(file, form, references);
  const run = { sha256: checked.sha256, operation: type ?? 'export', url: 'https://api.test', org_id: null };
  await using report = await Report.open(path, { ...run, app_code: appCode });
  const progress = { before: report.done, created: 0, updated: 0, failed: 0 };
  const { custodia: client } = fakeClient(reply, { retry: { attempts: 1 } });
  const { stopped = new AbortController().signal } = options;
  await importFile({
    ...{ file, form, checked, references, report, client, progress, sendUnknown, stopped },
    ...{ orgId: null, now: () => now },
  });
  return progress;
}

async function fileOf(lines: readonly string[], name = 'file.csv'): Promise<string> {
  const file = join(await freshDirectory(), name);
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

const clients = (count: number) => ['name', ...Array.from({ length: count }, (_, index) => `Client ${index + 1}`)];

const reported = async (file: string) =>
  (await readFile(`${file}.report`, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const namesOf = (api: FakeBatch) => api.carriedOut.map(({ body }) => (body as { name: string }).name);

/** Carries out so many batches, and loses the response of the last; nothing responds after that. */
function dying(api: FakeBatch, batches: number): Reply {
  let left = batches;
  return (sent, request) => {
    if (left-- <= 0) return new TypeError('fetch failed');
    const response = api.reply(sent, request);
    return left === 0 ? new TypeError('fetch failed') : response;
  };
}

describe('an import', () => {
  it('sends each record under a key of file and line, and reports its result', async () => {
    const api = new FakeBatch();
    api.fault = ({ body }) => ((body as { name: string }).name === 'B' ? refusedWith('forbidden', 403) : undefined);
    const file = await fileOf(['name,slug', 'A,a', 'B,b', 'C,c']);
    expect(await imported(file, api.reply, { type: 'client' })).toEqual({
      before: 0,
      created: 2,
      updated: 0,
      failed: 1,
    });
    const [run, sent, ...lines] = await reported(file);
    const { sha256 } = (run as { run: { sha256: string } }).run;
    expect(api.carriedOut.map(({ key, operation, body }) => [key, operation, body])).toEqual([
      [`${sha256}-2`, 'createClient', { name: 'A', slug: 'a' }],
      [`${sha256}-4`, 'createClient', { name: 'C', slug: 'c' }],
    ]);
    expect(sent).toEqual({ sent_at: '2026-11-20T09:30:00.000Z', sent: ['2', '3', '4'] });
    expect(lines).toEqual([
      { line: 2, type: 'Client', operation: 'createClient', status: 201, id: 'made-1' },
      {
        line: 3,
        type: 'Client',
        operation: 'createClient',
        status: 403,
        problem: refusedWith('forbidden', 403).problem,
      },
      { line: 4, type: 'Client', operation: 'createClient', status: 201, id: 'made-2' },
    ]);
    expect((await stat(`${file}.report`)).mode & 0o777).toBe(0o600);
  });

  it('changes what is there by a value, also long after it was sent without a response', async () => {
    const api = new FakeBatch();
    const file = await fileOf(['slug,name,plan', 'a,A,', 'b,B,pro']);
    const options = { type: 'client', upsert: true } as const;
    await expect(imported(file, dying(api, 1), options)).rejects.toThrow('fetch failed');
    const later = await imported(file, api.reply, { ...options, now: NOW + 48 * HOUR });
    expect(later).toEqual({ before: 0, created: 0, updated: 2, failed: 0 });
    expect(api.carriedOut.slice(2).map(({ operation, params, body }) => [operation, params, body])).toEqual([
      ['upsertClient', { slug: 'a' }, { name: 'A', plan: null }],
      ['upsertClient', { slug: 'b' }, { name: 'B', plan: 'pro' }],
    ]);
    for (const text of ['name\nA\n', 'slug,name\n,A\n']) {
      await writeFile(file, text);
      const form = formOf(file, options);
      const { findings } = await checkFile(file, form, new References(importKinds));
      expect(findings.map(({ pointer }) => pointer)).toEqual(['#/slug']);
    }
    // The second changes what the first has made.
    await writeFile(file, 'slug,name\na,A\na,B\n');
    expect((await checkFile(file, formOf(file, options), new References(importKinds))).findings).toEqual([]);
    expect(() => formOf(file, { type: 'role', upsert: true })).toThrow(
      '--upsert takes --type client or user or service or terminal or resource or ticket.',
    );
  });

  it('changes resources by external_id, which is no field of the body then', async () => {
    const api = new FakeBatch();
    const client = randomUUID();
    const file = await fileOf(['external_id;client_id;name;type;tags', `i-0001;${client};db-1;server;"a; b"`]);
    await imported(file, api.reply, { type: 'resource', upsert: true });
    expect(api.carriedOut).toMatchObject([{ operation: 'upsertResource', params: { external_id: 'i-0001' } }]);
    expect(api.carriedOut[0]?.body).toEqual({ client_id: client, name: 'db-1', type: 'server', tags: ['a', 'b'] });
  });

  it('ends after the batch that is under way when it is stopped', async () => {
    const api = new FakeBatch();
    const stopping = new AbortController();
    const stop: Reply = (sent, request) => {
      stopping.abort();
      return api.reply(sent, request);
    };
    const file = await fileOf(clients(1_000));
    const { created } = await imported(file, stop, { type: 'client', stopped: stopping.signal });
    expect(created).toBe(200);
    expect(await imported(file, api.reply, { type: 'client' })).toMatchObject({ before: 200, created: 800 });
  });

  it('does not send refused records again when it is stopped', async () => {
    const api = new FakeBatch();
    const stopping = new AbortController();
    api.fault = ({ body }) => {
      stopping.abort();
      return (body as { name: string }).name === 'Client 1' ? refusedWith('too-many-requests', 429) : undefined;
    };
    const file = await fileOf(clients(3));
    const options = { type: 'client', stopped: stopping.signal };
    expect(await imported(file, api.reply, options)).toMatchObject({ created: 2, failed: 0 });
    expect(api.sizes).toEqual([3]);
  });

  it('leaves out lines with mistakes, which are in the report', async () => {
    const api = new FakeBatch();
    const file = await fileOf(['name,slug', 'A,UPPER', 'B,b']);
    expect(await imported(file, api.reply, { type: 'client' })).toMatchObject({ created: 1, failed: 1 });
    expect(await reported(file)).toContainEqual({
      ...{ line: 2, type: 'Client', operation: 'createClient', status: 'not-sent' },
      problem: { detail: expect.stringMatching(/^Line 2, column 2 \(slug\), #\/slug: must be lowercase/) },
    });
  });

  it('leaves out lines of an export that are none, which are in the report once', async () => {
    const api = new FakeBatch();
    const lines = ['{"type":"Client","record":{"id":"a","name":"A"}}', '{"type":"Client","rec'];
    const file = await fileOf(lines, 'acme.ndjson');
    expect(await imported(file, api.reply)).toMatchObject({ created: 1, failed: 1 });
    expect((await reported(file)).filter(({ line }) => line === 2)).toEqual([
      { line: 2, status: 'not-sent', problem: { detail: expect.stringMatching(/^Line 2, column 22: is not JSON/) } },
    ]);
  });
});

it('shows how far it is', () => {
  const progress = { before: 100, created: 300, updated: 40, failed: 20 };
  expect(progressLine(progress, 1_000, 36)).toBe('460 of 1000 records, 10 a second, 20 failed, 54 s left');
  expect(progressLine(progress, 100_000, 36)).toBe('460 of 100000 records, 10 a second, 20 failed, 166 min left');
  const none = { before: 0, created: 0, updated: 0, failed: 0 };
  expect(progressLine(none, 1_000, 0)).toBe('0 of 1000 records, 0.0 a second, 0 failed');
});

it('says at the end what can be sent again, and what must be put right before', () => {
  const checked = { sha256: '', counts: {}, total: 9, leftOut: {}, deleted: {}, findings: [], invalid: 2 };
  const endOf = (failed: number): string =>
    linesOfRun(checked, { before: 0, created: 9, updated: 0, failed }, 'report').slice(1).join('\n');
  expect(endOf(2)).toBe(
    'Lines with mistakes among them: 2. Put them right in a file of their own: this one, changed, would create the others again.',
  );
  expect(endOf(3)).toMatch(/\nRun it again when the reasons are gone/);
});

describe('an import that was interrupted', () => {
  it.each([1, 2, 3])('in batch %i goes on, and makes nothing twice', async (batches) => {
    const api = new FakeBatch();
    const file = await fileOf(clients(1_000));
    await expect(imported(file, dying(api, batches), { type: 'client' })).rejects.toThrow('fetch failed');
    const before = (batches - 1) * 200;
    const progress = await imported(file, api.reply, { type: 'client', now: NOW + 22 * HOUR });
    expect(progress).toEqual({ before, created: 1_000 - before, updated: 0, failed: 0 });
    expect(namesOf(api)).toEqual(clients(1_000).slice(1));
    expect(await imported(file, () => new TypeError('nothing is sent'), { type: 'client' })).toMatchObject({
      before: 1_000,
      created: 0,
    });
  });

  it('goes on after more than a day by its report, but for what got no response', async () => {
    const api = new FakeBatch();
    const file = await fileOf(clients(600));
    await expect(imported(file, dying(api, 2), { type: 'client' })).rejects.toThrow('fetch failed');
    const later = { type: 'client', now: NOW + 24 * HOUR };
    expect(await imported(file, api.reply, later)).toEqual({ before: 200, created: 200, updated: 0, failed: 200 });
    const unknown = (await reported(file)).filter(({ status }) => status === 'unknown');
    expect(unknown.map(({ line }) => line)).toEqual(Array.from({ length: 200 }, (_, index) => 202 + index));
    // Still, in a third run, until somebody has looked for them.
    expect(await imported(file, api.reply, later)).toEqual({ before: 400, created: 0, updated: 0, failed: 200 });
    expect(await imported(file, api.reply, { ...later, sendUnknown: true })).toMatchObject({ created: 200, failed: 0 });
  });

  it('sends refused records again, also after a day: they left no key behind', async () => {
    const api = new FakeBatch();
    api.fault = () => refusedWith('forbidden', 403);
    const file = await fileOf(clients(3));
    expect(await imported(file, api.reply, { type: 'client' })).toMatchObject({ created: 0, failed: 3 });
    api.fault = () => undefined;
    const later = { type: 'client', now: NOW + 48 * HOUR };
    expect(await imported(file, api.reply, later)).toEqual({ before: 0, created: 3, updated: 0, failed: 0 });
  });

  it('takes a 503 that stays for unknown', async () => {
    const api = new FakeBatch();
    api.fault = () => refusedWith('unavailable', 503);
    const file = await fileOf(clients(1));
    await imported(file, api.reply, { type: 'client' });
    api.fault = () => undefined;
    expect(await imported(file, api.reply, { type: 'client', now: NOW + 48 * HOUR })).toMatchObject({ failed: 1 });
  });

  it('ignores a last line that was cut off', async () => {
    const api = new FakeBatch();
    const file = await fileOf(clients(250));
    await expect(imported(file, dying(api, 2), { type: 'client' })).rejects.toThrow('fetch failed');
    await appendFile(`${file}.report`, Buffer.from('{"line":202,"type":"Client","id":"é').subarray(0, -1));
    expect(await imported(file, api.reply, { type: 'client' })).toEqual({
      before: 200,
      created: 50,
      updated: 0,
      failed: 0,
    });
    expect(namesOf(api)).toHaveLength(250);
    for (const line of await reported(file)) expect(Object.keys(line).length).toBeGreaterThan(0);
  });

  it('does not go on with the report of another import, or with something else', async () => {
    const api = new FakeBatch();
    const file = await fileOf(clients(1));
    await imported(file, api.reply, { type: 'client' });
    const refused = 'is not the report of this import';
    await expect(imported(file, api.reply, { type: 'client', appCode: 'another' })).rejects.toThrow(
      `${refused}, but of one with app_code "acme": name another with --report.`,
    );
    await writeFile(file, 'name\nAnother\n');
    await expect(imported(file, api.reply, { type: 'client' })).rejects.toThrow(refused);
    const something = join(await freshDirectory(), 'letter.txt');
    await writeFile(something, 'Dear Sir,\n');
    await expect(imported(file, api.reply, { type: 'client', report: something })).rejects.toThrow(
      `${refused}, but something else`,
    );
    expect(await readFile(something, 'utf8')).toBe('Dear Sir,\n');
    // The cut-off first line of a report has no line feed, either.
    await writeFile(something, '{"name":"Dear Sir"}');
    await expect(imported(file, api.reply, { type: 'client', report: something })).rejects.toThrow(refused);
    expect(await readFile(something, 'utf8')).toBe('{"name":"Dear Sir"}');
    await writeFile(something, '{"run":{"sha');
    expect(await imported(file, api.reply, { type: 'client', report: something })).toMatchObject({ created: 1 });
    await expect(imported(file, api.reply, { type: 'client', report: '/nowhere/x' })).rejects.toThrow(
      'cannot be opened',
    );
  });
});
