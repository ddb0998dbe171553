import { describe, expect, it } from 'vitest';
import type { BatchOperation } from '../../packages/client/src/index.ts';
import { all, fakeClient, type Reply, refusal } from './fake.ts';
import { FakeBatch, operationsOf, refusedWith } from './fake-batch.ts';

/** `batch()` and `importRecords()` of `@custodia/client`, over an API in memory. */

const creations = (count: number, note = ''): BatchOperation[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `row-${index + 1}`,
    operation: 'createClient',
    body: { name: `Client ${index + 1}${note}` },
  }));

const keysOf = (results: readonly { readonly key: string }[]) => results.map(({ key }) => key).sort();

/** Fails so often, then lets through. */
const failing = (times: number, fail: () => Response | Error, then: Reply): Reply => {
  let left = times;
  return (sent, request) => (left-- > 0 ? fail() : then(sent, request));
};

describe('batch', () => {
  it('sends its operations in one request, and returns their results with what was refused', async () => {
    const api = new FakeBatch();
    api.fault = ({ key }) => (key === 'row-2' ? refusedWith('already-exists', 409) : undefined);
    const { custodia, sent } = fakeClient(api.reply);
    const { results } = await custodia.batch(creations(3), { query: { org_id: 'org' }, headers: { Prefer: 'x' } });
    expect(results.map(({ status }) => status)).toEqual([201, 409, 201]);
    expect(sent.map(({ method, target }) => [method, target])).toEqual([['POST', '/stage/api/v1/batch?org_id=org']]);
    expect([sent[0]?.headers.get('content-type'), sent[0]?.headers.get('prefer')]).toEqual(['application/json', 'x']);
    expect(sent[0] && operationsOf(sent[0])).toEqual(creations(3));
  });

  it.each<[string, Partial<BatchOperation>, number]>([
    ['creations', {}, 2],
    ['changes', { operation: 'updateClient' }, 2],
    ['a change of a version', { operation: 'updateClient', if_match: '"1.x"' }, 1],
    ['a deletion', { operation: 'deleteTicket' }, 1],
  ])('is sent again after a lost response where that can help: %s', async (_, more, times) => {
    const api = new FakeBatch();
    const { custodia, sent } = fakeClient(failing(1, () => new TypeError('fetch failed'), api.reply));
    const other = { key: 'other', operation: 'createClient', ...more } as BatchOperation;
    const operations: BatchOperation[] = [...creations(1), other];
    const outcome = await custodia.batch(operations).catch((error: unknown) => error);
    expect([sent.length, outcome instanceof TypeError]).toEqual([times, times === 1]);
  });
});

describe('importRecords', () => {
  it('sends any number of operations in batches of 200, in their order', async () => {
    const api = new FakeBatch();
    const { custodia, slept } = fakeClient(api.reply);
    const results = await all(custodia.importRecords(creations(1_001)));
    expect(results.map(({ key }) => key)).toEqual(creations(1_001).map(({ key }) => key));
    expect([api.sizes, slept]).toEqual([[200, 200, 200, 200, 200, 1], []]);
    expect(results[0]?.operation).toEqual(creations(1)[0]);
  });

  it('fills batches up to a megabyte, in bytes, and sends a larger operation alone', async () => {
    const api = new FakeBatch();
    const { custodia, sent } = fakeClient(api.reply);
    const operations = [...creations(20, 'é'.repeat(49_000)), ...creations(1, 'é'.repeat(600_000)), ...creations(1)];
    await all(custodia.importRecords(operations.map((each, index) => ({ ...each, key: `${index}` }))));
    expect(api.sizes).toEqual([10, 10, 1, 1]);
    for (const [index, { body }] of sent.entries())
      if (index !== 2) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_000_000);
  });

  it('takes no more from its source than it sends, and closes it where the loop is left', async () => {
    const api = new FakeBatch();
    const { custodia } = fakeClient(api.reply);
    let taken = 0;
    let isClosed = false;
    async function* source() {
      try {
        for (const each of creations(1_000)) {
          taken += 1;
          yield each;
        }
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of custodia.importRecords(source())) break;
    expect([taken, isClosed]).toEqual([200, true]);
  });

  it('sends again what was refused for the budget or not attempted, before what follows', async () => {
    const api = new FakeBatch();
    let left = 3;
    api.fault = ({ key }) => {
      if (key === 'row-150' && left-- > 0) return refusedWith('too-many-requests', 429, { retry_after: 7 });
      return key === 'row-151' && left >= 0 ? refusedWith('not-attempted', 503, { retry_after: 0 }) : undefined;
    };
    const { custodia, slept } = fakeClient(api.reply);
    const results = await all(custodia.importRecords(creations(300)));
    expect(keysOf(results)).toEqual(keysOf(creations(300)));
    expect(results.every(({ status }) => status === 201)).toBe(true);
    // What Retry-After says, and half of 500 ms; the third batch had nothing else left, and got further only in the fourth.
    expect(slept).toEqual([7_250, 7_250, 7_500]);
    const order = api.carriedOut.map(({ key }) => key);
    expect(order.indexOf('row-151')).toBeGreaterThan(order.indexOf('row-150'));
  });

  it('waits where the budget is spent, and sends again what met others at its record, as often as is needed', async () => {
    const api = new FakeBatch();
    let [contended, isSpent] = [6, true];
    api.fault = ({ key }) => {
      if (key === 'row-2' && contended-- > 0) return refusedWith('contended', 409, { retry_after: 1 });
      if (key !== 'row-3' || !isSpent) return undefined;
      isSpent = false;
      return refusedWith('not-attempted', 503, { retry_after: 12 });
    };
    const { custodia, slept } = fakeClient(api.reply);
    const results = await all(custodia.importRecords(creations(300)));
    expect(results.every(({ status }) => status === 201)).toBe(true);
    expect([slept[0], contended]).toEqual([12_250, -1]);
  });

  it('sends a 503 again for a while, and a 500 not at all', async () => {
    const api = new FakeBatch();
    const tried: string[] = [];
    api.fault = ({ key }) => {
      tried.push(key);
      if (key === 'row-1') return refusedWith('unavailable', 503);
      return key === 'row-2' ? refusedWith('internal-error', 500) : undefined;
    };
    const { custodia } = fakeClient(api.reply);
    const results = await all(custodia.importRecords(creations(3), { attempts: 4 }));
    expect(Object.fromEntries(results.map(({ key, status }) => [key, status]))).toEqual({
      'row-1': 503,
      'row-2': 500,
      'row-3': 201,
    });
    expect(tried.filter((key) => key === 'row-1')).toHaveLength(4);
    expect(tried.filter((key) => key === 'row-2')).toHaveLength(1);
  });

  it('creates nothing twice where responses are lost, and says before what it sends', async () => {
    const api = new FakeBatch();
    let requests = 0;
    const lossy: Reply = (sent, request) => {
      const response = api.reply(sent, request);
      requests += 1;
      return requests % 3 === 0 ? response : requests % 3 === 1 ? new TypeError('lost') : refusal('unavailable', 503);
    };
    const { custodia } = fakeClient(lossy);
    const noted: string[] = [];
    const onSend = async (operations: readonly BatchOperation[]) => {
      noted.push(...operations.map(({ key }) => key));
    };
    const results = await all(custodia.importRecords(creations(450), { onSend }));
    expect(keysOf(results)).toEqual(keysOf(creations(450)));
    expect(api.carriedOut).toHaveLength(450);
    expect(noted).toEqual(creations(450).map(({ key }) => key));
  });

  it('ends where a whole batch is refused, or nothing goes on', async () => {
    const refused = fakeClient(() => refusal('forbidden', 403));
    await expect(all(refused.custodia.importRecords(creations(1)))).rejects.toMatchObject({ status: 403 });
    const api = new FakeBatch();
    api.fault = () => refusedWith('too-many-requests', 429);
    const { custodia, slept } = fakeClient(api.reply);
    await expect(all(custodia.importRecords(creations(1)))).rejects.toThrow('Nothing was carried out in 20 batches');
    expect(slept.slice(0, 3)).toEqual([500, 1_000, 2_000]);
    expect(Math.max(...slept)).toBe(15_000);
  });
});
