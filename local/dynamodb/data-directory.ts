import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from '../../shared/private-file.ts';
import { DATA_FILES, DirectoryInUse, EmbeddedDynamoDbError } from './engine.ts';

/**
 * The directory with the data of an engine: its lock, the modes of its files, and the endpoint of the engine that runs
 * on it.
 */

const LOCK_FILE = 'dynamodb.lock';

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
    return (
      `The data directory ${directory} is in use by another running instance: stop that one, or set DATA_DIR ` +
      'to another directory.'
    );
  }
  if (errcode === SQLITE_NOT_A_DATABASE) return `The lock file ${file} is damaged: delete it (it holds no data).`;
  return notWritable(directory, (errcode === undefined ? code : message) ?? message ?? 'unknown error');
};

/** @param why such as `EROFS` */
const notWritable = (directory: string, why: string): string =>
  `The data directory ${directory} cannot be written to (${why}): make it writable, or set DATA_DIR to another ` +
  'directory.';

/** Beside a database SQLite keeps files named after it, such as `-journal` and `-wal`. */
const PREFIXES = [...Object.values(DATA_FILES), LOCK_FILE];

/**
 * Lets only the owner read the databases in a directory, also those that were made under another umask. A missing
 * database is created first: SQLite gives the files beside a database its mode.
 * @throws EmbeddedDynamoDbError when they cannot be written
 */
export async function makeDatabasesPrivate(directory: string, database: string): Promise<void> {
  try {
    const file = await open(join(directory, database), 'a', 0o600);
    await file.close();
    const isOurs = (name: string): boolean => PREFIXES.some((prefix) => name.startsWith(prefix));
    const names = (await readdir(directory)).filter(isOurs);
    await Promise.all(names.map((name) => makePrivate(join(directory, name))));
  } catch (error) {
    const { code = '', path } = error as NodeJS.ErrnoException;
    throw new EmbeddedDynamoDbError(notWritable(directory, `${code} ${path}`), { cause: error });
  }
}

/**
 * A file in the data directory with the endpoint of its DynamoDB while one runs, and the access key. Only its owner may
 * read it.
 */

const fileIn = (directory: string): string => join(directory, 'dynamodb.endpoint');

export function writeEndpoint(directory: string, address: string): void {
  forgetEndpoint(directory);
  writeFileSync(fileIn(directory), address, { mode: 0o600, flag: 'wx' });
}

export const forgetEndpoint = (directory: string): void => rmSync(fileIn(directory), { force: true });

/** @throws EmbeddedDynamoDbError when the DynamoDB has not come up yet */
export function readEndpoint(directory: string): string {
  try {
    return readFileSync(fileIn(directory), 'utf8');
  } catch (cause) {
    throw new EmbeddedDynamoDbError(
      `Another instance is just starting or stopping in the data directory ${resolve(directory)}: try again in a ` +
        'moment.',
      { cause },
    );
  }
}
