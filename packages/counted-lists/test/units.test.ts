import { Table, UnitOfWork } from '@custodia/counted-lists';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { itemSizeOf } from '../../../test/support/item-size.ts';

/** The write units of a put, as they are counted where DynamoDB reports none. */

const lengths = fc.integer({ min: 0, max: 1_100 });
const value = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'é', '€', '😀', '"'), lengths).map(([unit, length]) => unit.repeat(length)),
  fc.constantFrom(null, true, 0, -1.5, 123_456_789_012, 12_345_678_901_234_567_890_123_456_789_012_345_678n),
  fc.array(fc.string(), { maxLength: 3 }),
);

it('are those of its size', async () => {
  let counted = 0;
  const observer = {
    count: () => undefined,
    countUnits: (units: number) => {
      counted += units;
    },
    callsMade: () => 0,
  };
  const client = { send: async () => ({}), middlewareStack: { add: () => undefined } };
  const table = new Table('table', () => client as never, observer);
  const sending = { clock: () => 0, deadline: 1 };
  const fields = fc.dictionary(fc.string({ maxLength: 12 }), value, { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(fields, async (given) => {
      const work = new UnitOfWork();
      const item = { ...given, PK: 'p', SK: 's' };
      work.put(item, () => new Error('refused'), {});
      counted = 0;
      await work.commit(table, sending);
      expect(counted).toBe(Math.ceil(itemSizeOf(item) / 1_024));
    }),
  );
});
