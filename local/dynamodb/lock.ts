import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DirectoryInUse, EmbeddedDynamoDbError } from './errors.ts';

export const LOCK_FILE = 'dynamodb.lock';

/**
 * Creates `directory` where it is missing and keeps it for this process. Returns the function that releases it.
 * @throws EmbeddedDynamoDbError when it cannot be written to; DirectoryInUse when another process has it.
 */
export const lockDirectory = (directory: string): (() => void) => {
  const file = join(directory, LOCK_FILE);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    // SQLite's lock is the kernel's: it goes with the process, however that ends, so there is never a stale one.
    const lock = new DatabaseSync(file);
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (error) {
    const failure = error as Partial<SqliteError>;
    const Failure = failure.errcode === SQLITE_BUSY ? DirectoryInUse : EmbeddedDynamoDbError;
    throw new Failure(explain(directory, file, failure), { cause: error });
  }
};

interface SqliteError {
  readonly code: string;
  readonly errcode: number;
  readonly message: string;
}

const SQLITE_BUSY = 5;
const SQLITE_NOT_A_DATABASE = 26;

const explain = (directory: string, file: string, { errcode, code, message }: Partial<SqliteError>): string => {
  if (errcode === SQLITE_BUSY) {
    return `The data directory ${directory} is in use by another running instance: stop that one, or set DATA_DIR to another directory.`;
  }
  if (errcode === SQLITE_NOT_A_DATABASE) return `The lock file ${file} is damaged: delete it (it holds no data).`;
  return notWritable(directory, (errcode === undefined ? code : message) ?? message ?? 'unknown error');
};

/** @param why such as `EROFS` */
export const notWritable = (directory: string, why: string): string =>
  `The data directory ${directory} cannot be written to (${why}): make it writable, or set DATA_DIR to another directory.`;
