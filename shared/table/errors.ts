/** Errors of the storage code. Only `shared/http` turns them into responses. */

/** A record changed between reading and writing: the operation must be run again on fresh reads. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

/** A record is too large for a response. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';
  /** Its size in a response, escaped, in bytes. */
  readonly size: number;
  /** The largest size, in bytes. */
  readonly most: number;
  /** Which of the records that are created together are too large, counted from 0. Its size is that of the largest. */
  readonly indexes: readonly number[];

  constructor(size: number, most: number, indexes: readonly number[]) {
    super(`the record would take ${size} bytes in a response`);
    this.size = size;
    this.most = most;
    this.indexes = indexes;
  }
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
