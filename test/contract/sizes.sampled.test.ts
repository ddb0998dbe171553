import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_RESPONSE } from '#contract';
import { escapedSize, fitsEscaped } from '#json';
import { entity, RecordTooLarge, Tenant } from '#table';
import { envelopeEncryption, localDataKeys } from '../../shared/auth/envelope-encryption.ts';
import { PAGE_SIZE } from '../../shared/contract/parameters.ts';
import { countDeliverable, isDeliverable } from '../../shared/http/response.ts';
import { aCaller } from '../support/caller.ts';
import { aSession } from '../support/chain.ts';
import { byExtent } from '../support/extent.ts';

/** The most bytes of a record in a response. */
const MAX_RECORD = 230_000;

const pageOf = (data: readonly unknown[]) => ({ data, page: 1_000_000_000, page_size: data.length, total: 2 ** 48 });

it('a page of the standard size can be carried, whatever records it holds', () => {
  const quotes = { t: '"'.repeat((MAX_RECORD - 20) / 4) };
  const plain = { t: 'x'.repeat(MAX_RECORD - 20) };
  for (const record of [quotes, plain]) {
    expect(escapedSize(JSON.stringify(record))).toBeGreaterThan(MAX_RECORD - 20);
    const page = pageOf(Array.from({ length: PAGE_SIZE.standard }, () => record));
    expect(isDeliverable(JSON.stringify(page))).toBe(true);
  }
});

it('of records that are too many, as many can be carried as are counted, and not much more', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 57_000 }), { minLength: 60, maxLength: 200 });
  fc.assert(
    fc.property(sizes, fc.constantFrom('x', '"', '\u0001', 'é', '😀'), (lengths, filling) => {
      const records = lengths.map((length) => ({ t: filling.repeat(length) }));
      const count = countDeliverable(records);
      expect(isDeliverable(JSON.stringify(pageOf(records.slice(0, count))))).toBe(true);
      if (count === records.length) return;
      const more = JSON.stringify(pageOf(records.slice(0, count + 1)));
      expect(fitsEscaped(more, MAX_RESPONSE - 2_000)).toBe(false);
    }),
    { numRuns: byExtent({ sample: 2, extended: 4, nightly: 30 }) },
  );
});

it('what is encrypted counts as at least what it takes when it is opened', async () => {
  interface Kept {
    readonly id: string;
    readonly credentials: string | null;
    readonly padding: string;
  }
  class Accepted extends Error {}
  /** The error of a creation, which ends before it is sent. */
  const refusalOf = async (record: Omit<Kept, 'id'>): Promise<unknown> => {
    const session = aSession();
    session.expectUnits = () => {
      throw new Accepted();
    };
    const records = Tenant.of(aCaller('acme'), session).records(entity<Kept>('KEPT', { encrypted: ['credentials'] }));
    return records.createAll([record]).catch((error: unknown) => error);
  };
  const box = envelopeEncryption(localDataKeys(randomBytes(32)));
  const sizeOf = async (credentials: string): Promise<number> => {
    // The rest of the record takes it over the bound in any case, so that the error tells the size.
    const padding = 'x'.repeat(MAX_RECORD);
    const refusals = await Promise.all([credentials, ''].map((each) => refusalOf({ credentials: each, padding })));
    const [size = 0, without = 0] = refusals.map((refusal) => (refusal as RecordTooLarge).size);
    return size - without;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.jsonValue(), fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'a') })),
      async (value) => {
        const json = JSON.stringify({ value });
        const encrypted = await box.encrypt(json, { tenant: 'acme', record: 'service/1' });
        expect(await sizeOf(encrypted)).toBeGreaterThanOrEqual(escapedSize(json));
      },
    ),
  );
  const refusalOfLength = (length: number) => refusalOf({ credentials: 'x'.repeat(length), padding: '' });
  expect(await refusalOfLength(140_000)).toBeInstanceOf(Accepted);
  expect(await refusalOfLength(160_000)).toBeInstanceOf(RecordTooLarge);
});
