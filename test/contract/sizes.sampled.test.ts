import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_RESPONSE } from '#contract/gateway';
import * as parameter from '#contract/parameter';
import { envelopeEncryption, localDataKeys } from '#encryption';
import { escapedSize, fitsEscaped } from '#json';
import { entity, RecordTooLarge } from '#table';
import { countDeliverable, isDeliverable } from '../../shared/http/response/deliverable.ts';
import { checkSize, MAX_RECORD } from '../../shared/table/repository/record-size.ts';
import { byExtent } from '../support/extent.ts';

const pageOf = (data: readonly unknown[]) => ({ data, page: 1_000_000_000, page_size: data.length, total: 2 ** 48 });

it('a page of the standard size can be carried, whatever records it holds', () => {
  const quotes = { t: '"'.repeat((MAX_RECORD - 20) / 4) };
  const plain = { t: 'x'.repeat(MAX_RECORD - 20) };
  for (const record of [quotes, plain]) {
    expect(escapedSize(JSON.stringify(record))).toBeGreaterThan(MAX_RECORD - 20);
    const page = pageOf(Array.from({ length: parameter.PAGE_SIZE.standard }, () => record));
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
    readonly credentials: string | null;
  }
  const kept = entity<Kept>('KEPT', { encrypted: ['credentials'] });
  const box = envelopeEncryption(localDataKeys(randomBytes(32)));
  const sizeOf = (credentials: string): number => {
    // The rest of the record takes it over the bound in any case, so that the error tells the size.
    const padding = 'x'.repeat(MAX_RECORD);
    try {
      checkSize(kept, { credentials, padding } as Kept);
    } catch (error) {
      return (error as RecordTooLarge).size - escapedSize(JSON.stringify({ padding }));
    }
    throw new Error('nothing was refused');
  };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.jsonValue(), fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'a') })),
      async (value) => {
        const json = JSON.stringify({ value });
        const encrypted = await box.encrypt(json, { tenant: 'acme', record: 'service/1' });
        expect(sizeOf(encrypted)).toBeGreaterThanOrEqual(escapedSize(json));
      },
    ),
  );
  expect(() => checkSize(kept, { credentials: 'x'.repeat(140_000) })).not.toThrow();
  expect(() => checkSize(kept, { credentials: 'x'.repeat(160_000) })).toThrow(RecordTooLarge);
});
