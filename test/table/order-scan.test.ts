import { expect, it } from 'vitest';
import { OrderScan } from '../../shared/lists/order-scan.ts';

/** The reading of an order while records move in it. */

it('reads what has moved to the end meanwhile also where DynamoDB gives what was asked for at once in parts', async () => {
  const key = (text: string, number: number) => ({ SK: `${text}\n${number.toString(16).padStart(12, '0')}` });
  // Record 1 moves from time 1 to time 9 after the first part was read.
  const parts = [
    { Items: [key('3', 3), key('2', 2)], LastEvaluatedKey: key('2', 2) },
    { Items: [key('0', 0)] },
    { Items: [key('9', 1)] },
  ];
  const table = { name: 'table', client: { send: () => Promise.resolve(parts.shift() ?? {}) } };
  const order = { index: 'at>', entries: 'at#ORDER', textOf: () => '' };
  const scan = new OrderScan(table as never, 'LIST', order, true);
  await scan.read(100);
  expect(scan.isComplete).toBe(true);
  await scan.readMoved();
  expect([...scan.texts.keys()]).toEqual([1, 3, 2, 0]);
});
