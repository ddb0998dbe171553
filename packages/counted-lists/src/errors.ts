import type { Item, Key } from './schema.ts';

/** Errors of lists and transactions. Only `shared/http` turns them into responses. */

/** An item would exceed DynamoDB's 400 KB, or a transaction its 4 MB. */
export class ItemTooLarge extends Error {
  override readonly name = 'ItemTooLarge';
}

/** The table did not respond in time. A write may or may not have happened. */
export class TableUnavailable extends Error {
  override readonly name = 'TableUnavailable';
}

/**
 * A page cannot be read yet. `lost`: more numbers of the list have no record than one request may fence; it fenced
 * some, so that a later request succeeds. `moved`: its records moved each time while they were read.
 */
export class PageIncomplete extends Error {
  override readonly name = 'PageIncomplete';
  readonly reason: 'lost' | 'moved';

  constructor(reason: 'lost' | 'moved' = 'lost') {
    super(reason === 'lost' ? 'more numbers without a record must be fenced' : 'its records moved while it was read');
    this.reason = reason;
  }
}

/** A reader who follows a list would miss records: those from its number on are not all kept, or are others by now. */
export class FeedExpired extends Error {
  override readonly name = 'FeedExpired';

  constructor() {
    super('the records that follow are not all kept');
  }
}

/** No index answers a part of the conditions, and it would take more reads of records than one request may have. */
export class TooManyMatches extends Error {
  override readonly name = 'TooManyMatches';
  /** How many records would have to be read, at least. */
  readonly candidates: number;
  /** The fields of the conditions that no index answers, and the sorts: `sort=name`. */
  readonly fields: readonly string[];

  constructor(candidates: number, fields: readonly string[]) {
    super(`${candidates} records would be read for ${fields.join(' and ')}`);
    this.candidates = candidates;
    this.fields = fields;
  }
}

/** A list is not served in this way, by a setting of the stage. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
  /** The API's name of the parameter. */
  readonly parameter: string;

  constructor(parameter: string) {
    super(`${parameter} is not offered here`);
    this.parameter = parameter;
  }
}

/**
 * Records that are older than a filter are not in its lists yet: the operator must add them
 * (`custodia verify --repair`).
 */
export class ListNotBuilt extends Error {
  override readonly name = 'ListNotBuilt';

  readonly fields: readonly string[];

  /** @param list the list's partition, for the operator's log */
  constructor(list: string, fields: readonly string[]) {
    super(`the lists of ${list} by ${fields.join(' and ')} are not built: run custodia verify --repair`);
    this.fields = fields;
  }
}

/** An item is in another state than a change was staged for (`UnitOfWork.expect`). */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
  readonly key: Key;
  readonly found: Item;

  constructor(key: Key, found: Item) {
    super('an item is not in the expected state');
    this.key = key;
    this.found = found;
  }
}
