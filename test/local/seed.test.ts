import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SeedApi } from '../../local/seed/api.ts';
import { Random } from '../../local/seed/random.ts';
import { samples } from '../../local/seed/samples.ts';
import { listening } from '../support/listening.ts';

describe('a request of the seed', () => {
  /** A server that gives these responses, one after the other. */
  const serverOf = async (...replies: readonly (readonly [status: number, body: object, after?: string])[]) => {
    const left = [...replies];
    const server = createServer((_, response) => {
      const [status, body, after] = left.shift() ?? [500, {}];
      response.writeHead(status, after ? { 'retry-after': after } : {}).end(JSON.stringify(body));
    });
    onTestFinished(() => void server.close());
    return listening(server);
  };

  it('waits as long as Retry-After says when the budget is used up', async () => {
    const waited: number[] = [];
    const url = await serverOf([429, {}, '7'], [429, {}], [201, { id: 'a' }]);
    const api = new SeedApi({ url, wait: async (seconds) => void waited.push(seconds) });
    expect(await api.post('/clients', {})).toEqual({ id: 'a' });
    expect([waited, api.waits, api.requests]).toEqual([[7, 1], 2, 1]);
  });

  it('that is refused for another reason ends it, with that reason', async () => {
    const body = { title: 'The body is not valid', errors: [{ pointer: '#/name', detail: 'is required' }] };
    const api = new SeedApi({ url: await serverOf([422, body]) });
    await expect(api.post('/clients', {})).rejects.toThrow(
      'POST /clients was answered with 422: The body is not valid; [{"pointer":"#/name","detail":"is required"}].',
    );
  });
});

describe('samples', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  const samplesOf = (seed: number) => samples(30, now, new Random(seed));
  const history = Array.from({ length: 40 }, (_, seed) => samplesOf(seed));

  it('cover the days up to now, in per cent, and are the same for the same seed', () => {
    for (const each of history) {
      expect([each.length, each.at(-1)?.timestamp]).toEqual([60, '2026-11-20T12:00:00.000Z']);
      const usages = each.flatMap(({ cpu_usage, memory_usage, storage_usage }) => [
        cpu_usage,
        memory_usage,
        storage_usage,
      ]);
      expect(usages.filter((usage) => !(Number(usage) >= 0 && Number(usage) <= 100))).toEqual([]);
    }
    expect(samplesOf(3)).toEqual(history[3]);
    expect(samplesOf(3)).not.toEqual(history[4]);
  });

  it('have some machines with a full disk, and some that are degraded, but not all', () => {
    const last = history.map((each) => each.at(-1));
    const isFull = last.map((sample) => Number(sample?.storage_usage) > 90);
    const isDegraded = last.map((sample) => sample?.health_status === 'degraded');
    for (const isSo of [isFull, isDegraded]) expect(new Set(isSo)).toEqual(new Set([true, false]));
  });
});
