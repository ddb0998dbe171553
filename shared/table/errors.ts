/** What the storage code throws. Only `shared/http` turns these into answers. */

/** The record changed between reading and writing: run the operation again on fresh reads. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

/** A record would take more in an answer than a record may. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';
  /** What it would take, escaped, in bytes. */
  readonly size: number;

  constructor(size: number) {
    super(`the record would take ${size} bytes in an answer`);
    this.size = size;
  }
}

/** The records of a page are more than one request reads, or than one answer carries. */
export class PageTooLarge extends Error {
  override readonly name = 'PageTooLarge';
  /** How many of them, from the first on, would not be too many. */
  readonly fitting: number;

  constructor(fitting: number) {
    super(`only ${fitting} records of the page fit`);
    this.fitting = fitting;
  }
}

/** An item would pass DynamoDB's 400 KB, or a transaction its 4 MB. */
export class ItemTooLarge extends Error {
  override readonly name = 'ItemTooLarge';
}

/** Whether the write happened could not be learned in time, or the table cannot take it now. */
export class TableUnavailable extends Error {
  override readonly name = 'TableUnavailable';
}

/** Another record of the tenant already has this value of a unique field. */
export class NotUnique extends Error {
  override readonly name = 'NotUnique';
  readonly field: string;

  constructor(field: string) {
    super(`another record has this ${field}`);
    this.field = field;
  }
}

/** Records that are older than a filter do not stand in its lists yet: the operator builds them (`operator verify --repair`). */
export class ListNotBuilt extends Error {
  override readonly name = 'ListNotBuilt';

  readonly fields: readonly string[];

  /** @param list its partition, for the operator, who reads it in the log */
  constructor(list: string, fields: readonly string[]) {
    super(`the lists of ${list} by ${fields.join(' and ')} are not built: run operator verify --repair`);
    this.fields = fields;
  }
}
