import { type Item, schema } from '#lists';
import type { Entity } from '#table';
import { flags, indexedValuesIn, recordWords } from '#table/storage';

/** Records as they should be: with the flags and the words that follow from them. */

/** A filter field and value, which have a set; or an index of texts (`list-indexes.ts`) and a text, which have an item for each number. */
export interface IndexEntry {
  readonly field: string;
  readonly value: string;
}

/** The sets of the flags, and the words, with which a record is stored. */
export const storedIn = (entity: Entity, record: Item | undefined): IndexEntry[] => [
  ...Object.keys(entity.flags).flatMap((field) => (record?.[field] === true ? [{ field, value: flags.TRUE }] : [])),
  ...indexedValuesIn(record, recordWords.WORDS_INDEX).map((value) => ({ field: recordWords.WORDS_INDEX, value })),
];

/** A record with its flags and words as they follow from it. */
export const corrected = (entity: Entity, record: Item | undefined): Item | undefined =>
  schema.isRecord(record)
    ? { ...record, ...flags.flagsToCorrect(entity, record), ...recordWords.wordsToCorrect(entity, record) }
    : record;

/** The attributes of an entry that a record should have; undefined where it should have none. */
export function expectedAt(entity: Entity, record: Item | undefined, { field, value }: IndexEntry): Item | undefined {
  const live = schema.isRecord(record) ? corrected(entity, record) : undefined;
  return indexedValuesIn(live, field).includes(value) ? recordWords.entryAttributesOf(entity, field, live) : undefined;
}
