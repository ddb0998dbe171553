import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Message } from '../../functions/events/deliveries/queue.ts';
import { LocalQueue } from '../../local/deliveries/queue.ts';

/** The queue that `npm start` has in place of SQS. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose work lasts until the test ends it. */
function queueOf() {
  const begun: { readonly name: string; readonly end: (error?: Error) => void }[] = [];
  const givenUp: unknown[] = [];
  const work = ({ tenant, endpointId = '' }: Message): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error ? reject(error) : resolve());
      begun.push({ name: `${tenant}${endpointId}`, end });
    });
  const queue = new LocalQueue({ work, onGivenUp: (error) => void givenUp.push(error) });
  const send = (...tenants: readonly string[]) => queue.send(tenants.map((tenant) => ({ tenant })));
  const end = async (index: number, error?: Error): Promise<void> => {
    begun[index]?.end(error);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { queue, send, end, givenUp, begun: () => begun.map(({ name }) => name) };
}

it('works on four messages at once, and first on those of tenants with the least under way', async () => {
  const { queue, send, end, begun } = queueOf();
  await queue.send(['1', '2', '3', '4', '5', '6'].map((endpointId) => ({ tenant: 'a', endpointId })));
  await send('b');
  expect(begun()).toEqual(['a1', 'a2', 'a3', 'a4']);
  await end(0);
  await end(1);
  expect(begun().slice(4)).toEqual(['b', 'a5']);
});

it('works on messages of an endpoint one after the other, of which only one waits', async () => {
  const { queue, end, begun } = queueOf();
  await queue.send(Array.from({ length: 3 }, () => ({ tenant: 'a', endpointId: '1' })));
  expect(begun()).toEqual(['a1']);
  await end(0);
  expect(begun()).toEqual(['a1', 'a1']);
  await end(1);
  expect(begun()).toHaveLength(2);
});

it('works on messages of a tenant side by side, as one of its endpoints may be slow; of the others only one waits', async () => {
  const { send, end, begun } = queueOf();
  await send('a', 'a', 'a', 'a', 'a', 'a');
  expect(begun()).toHaveLength(4);
  await end(0);
  await end(1);
  expect(begun()).toHaveLength(5);
});

it('holds a message back for as long as it says', async () => {
  const { queue, begun } = queueOf();
  await queue.send([{ tenant: 'a', delaySeconds: 900 }]);
  await vi.advanceTimersByTimeAsync(899_999);
  expect(begun()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun()).toEqual(['a']);
});

it('gives a message out again after work that failed, five times in all, and then tells why', async () => {
  const { send, end, begun, givenUp } = queueOf();
  await send('a');
  for (const index of [0, 1, 2, 3, 4]) {
    expect([begun().length, givenUp]).toEqual([index + 1, []]);
    await end(index, new Error(`number ${index}`));
    await vi.advanceTimersByTimeAsync(900_000);
  }
  expect([begun().length, givenUp]).toEqual([5, [new Error('number 4')]]);
});

it('once closed, gives nothing out, and waits for what is under way', async () => {
  const { queue, send, end, begun, givenUp } = queueOf();
  await queue.send([
    { tenant: 'a', endpointId: '1' },
    { tenant: 'a', endpointId: '1' },
    { tenant: 'b', delaySeconds: 5 },
  ]);
  let isClosed = false;
  const closing = queue.close().then(() => {
    isClosed = true;
  });
  await send('c');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([begun(), isClosed]).toEqual([['a1'], false]);
  await end(0, new Error('the DynamoDB has gone'));
  await closing;
  await vi.advanceTimersByTimeAsync(900_000);
  expect([begun(), vi.getTimerCount(), givenUp]).toEqual([['a1'], 0, []]);
});
