import { randomUUID } from 'node:crypto';
import { PutCommand, type TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { Condition, type Item, type Table, UnitOfWork } from '@custodia/counted-lists';
import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { tableOf } from '#table';
import { liveCredentials } from '#tenancy';
import { catalogue } from '../../functions/access/catalogue.static.ts';
import { systemClock } from '../../shared/clock.ts';
import { freshTable } from '../support/dynamodb.ts';
import { byExtent } from '../support/extent.ts';
import { tableSending } from '../support/table-sending.ts';

/** The service evaluates conditions on a read item as DynamoDB does in a transaction. */

let table: Table;
beforeAll(async () => {
  const { endpoint, tableName } = await freshTable();
  table = tableOf(tableName, localConnection(endpoint));
});

const WORDS = ['a', 'b'] as const;
const words = fc.subarray([...WORDS]);
const groups = fc.array(fc.subarray([...WORDS], { minLength: 1 }), { maxLength: 2 });
const number = fc.integer({ min: 0, max: 2 });
// No text has a word in it: of texts DynamoDB tells what they contain, too.
const value = fc.oneof(fc.constantFrom('X', 'Y'), number, fc.constant(null), words);
const NAMES = ['x', 'y'] as const;
/** Of what is in a list: what is there, what is missing, what lies in no list at all. */
const PATHS = [...NAMES, 'z[0].x', 'z[1].x', 'z[1].y', 'x[0].x'] as const;
const attributes = <T>(of: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom(...NAMES), of, { maxKeys: 2, noNullPrototype: true });
const anItem: fc.Arbitrary<Item> = fc
  .tuple(attributes(value), fc.option(fc.array(attributes(value), { maxLength: 2 }), { nil: undefined }))
  .map(([item, z]) => (z === undefined ? item : { ...item, z }));

const found = (item: Item | undefined, path: string): unknown =>
  path.split(/[[\].]+/).reduce<unknown>((at, step) => (at as Item | undefined)?.[step], item);

/** An expectation of one kind, of one attribute; as often as not one that the item meets. */
const simple = (item: Item | undefined): fc.Arbitrary<Condition> => {
  const own = (path: string) => fc.oneof(fc.constant(found(item, path) ?? null), value);
  const about = <T>(of: (name: string) => fc.Arbitrary<T>) =>
    fc.constantFrom(...PATHS).chain((name) => of(name).map((wanted) => ({ [name]: wanted })));
  return fc.oneof(
    fc.boolean().map((exists) => ({ exists })),
    about((name) => fc.option(own(name), { nil: undefined })).map((equals) => ({ equals })),
    about(own).map((equalsOrAbsent) => ({ equalsOrAbsent })),
    about(() => number).map((atMost) => ({ atMost })),
    about(() => number).map((moreThan) => ({ moreThan })),
    about(() => groups).map((holds) => ({ holds })),
  );
};
const expectation = (item: Item | undefined): fc.Arbitrary<Condition> =>
  fc
    .tuple(
      simple(item),
      fc.array(simple(item), { maxLength: 1 }),
      fc.option(fc.array(fc.oneof(simple(item), both(item)), { minLength: 1, maxLength: 2 }), {
        nil: undefined,
        freq: 1,
      }),
    )
    .map(([own, and, anyOf]) => ({ ...own, and, ...(anyOf === undefined ? {} : { anyOf }) }));
/** Two kinds at once. */
const both = (item: Item | undefined): fc.Arbitrary<Condition> =>
  fc.tuple(simple(item), simple(item)).map(([one, other]) => ({ ...one, ...other }));
const itemAndExpectation = fc
  .option(anItem, { nil: undefined, freq: 5 })
  .chain((item) => fc.tuple(fc.constant(item), expectation(item)));

class Refused extends Error {}

/** Whether DynamoDB lets a transaction with this condition through. */
async function isLetThrough(item: Item | undefined, expect: Condition): Promise<boolean> {
  const key = { PK: `X#${randomUUID()}`, SK: 'X' };
  if (item !== undefined) await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, ...item } }));
  const work = new UnitOfWork();
  work.update(key, { condition: expect, onConditionFailed: () => new Refused() });
  // A check alone is a transaction, too.
  return work.commit(table, { clock: systemClock, deadline: systemClock() + 10_000 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refused) return false;
      throw error;
    },
  );
}

/** The expression with which this condition is sent. */
async function expressionOf(condition: Condition): Promise<string> {
  let sent = '';
  const send = async ({ input }: TransactWriteCommand) => {
    sent = input.TransactItems?.[0]?.ConditionCheck?.ConditionExpression ?? '';
    return {};
  };
  const work = new UnitOfWork();
  work.update({ PK: 'X', SK: 'X' }, { condition, onConditionFailed: () => new Refused() });
  await work.commit(tableSending(send), { clock: () => 0, deadline: 1 });
  return sent;
}

const RUNS = byExtent({ sample: 60, extended: 120, nightly: 2_500 });

it('an expectation is met where DynamoDB says so', async () => {
  let met = 0;
  await fc.assert(
    fc.asyncProperty(itemAndExpectation, async ([found, wanted]) => {
      const isSo = await isLetThrough(found, wanted);
      if (isSo) met += 1;
      expect(Condition.isMet(wanted, found)).toBe(isSo);
    }),
    { numRuns: RUNS },
  );
  expect(met).toBeGreaterThan(RUNS / 10);
  expect(met).toBeLessThan(RUNS * 0.9);
});

it('two changes of one item stand under both their conditions, and the refusal is that of the one that is not met', async () => {
  class Other extends Error {}
  const two = anItem.chain((item) => fc.tuple(fc.constant(item), expectation(item), expectation(item)));
  await fc.assert(
    fc.asyncProperty(two, async ([found, first, second]) => {
      const key = { PK: `X#${randomUUID()}`, SK: 'X' };
      await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, ...found } }));
      const work = new UnitOfWork();
      work.update(key, { add: { counted: 1 }, condition: first, onConditionFailed: () => new Refused() });
      work.update(key, { set: { changed: true }, condition: second, onConditionFailed: () => new Other() });
      const patience = { clock: systemClock, deadline: systemClock() + 10_000 };
      const outcome = await work.commit(table, patience).then(
        () => undefined,
        (error: Error) => error.constructor,
      );
      const refusal = Condition.isMet(second, found) ? undefined : Other;
      expect(outcome).toBe(Condition.isMet(first, found) ? refusal : Refused);
    }),
    { numRuns: RUNS / 2 },
  );
});

it('a condition on as many permissions as there may be stays within the limits of an expression', async () => {
  const permissions = catalogue.map(({ code }): string => code);
  const wanted = liveCredentials({ integrationId: 'i', tokenEpoch: 2, secretId: 's' }, 1_000, permissions);
  const text = await expressionOf({ and: [wanted, wanted] });
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
  expect(Buffer.byteLength(text)).toBeLessThan(4_096);
  expect(text.match(/\b(AND|OR|contains|attribute_\w+)\b|=/g)?.length).toBeLessThan(300);
  const item = { integration_id: 'i', status: 'active', token_epoch: 2, secrets: [{ id: 's' }] };
  expect(await isLetThrough({ ...item, permissions }, wanted)).toBe(true);
  expect(await isLetThrough({ ...item, permissions: null }, wanted)).toBe(true);
  const areas = permissions.filter((code) => code.endsWith(':write')).map((code) => code.replace(':write', ''));
  const notIncluded = permissions.filter((code) => !areas.some((area) => code === `${area}:read`));
  expect(notIncluded.length).toBeLessThan(permissions.length);
  expect(await isLetThrough({ ...item, permissions: notIncluded }, wanted)).toBe(true);
  for (const missing of notIncluded) {
    const rest = permissions.filter((code) => code !== missing);
    expect(await isLetThrough({ ...item, permissions: rest }, wanted), missing).toBe(false);
  }
});
