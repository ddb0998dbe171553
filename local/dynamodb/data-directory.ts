import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listErrors, type Table } from '@custodia/counted-lists';
import { SetupError } from '../../shared/errors.ts';
import { makePrivate } from '../../shared/private-file.ts';
import { DATA_FILES, DirectoryInUse } from './engine.ts';
import { dynamoDbOperationOf, isRead } from './usage.ts';

/**
 * The directory with the data of an engine: its lock, the modes of its files, and the endpoint of the engine that runs
 * on it.
 */

const LOCK_FILE = 'dynamodb.lock';

/**
 * Creates `directory` where it is missing and keeps it for this process. Returns the function that releases it.
 * @throws SetupError when it cannot be written to; DirectoryInUse when another process has it.
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
    const Failure = failure.errcode === SQLITE_BUSY ? DirectoryInUse : SetupError;
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
 * @throws SetupError when they cannot be written
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
    throw new SetupError(notWritable(directory, `${code} ${path}`), { cause: error });
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

/** @throws SetupError when the DynamoDB has not come up yet */
export function readEndpoint(directory: string): string {
  try {
    return readFileSync(fileIn(directory), 'utf8');
  } catch (cause) {
    throw new SetupError(
      `Another instance is just starting or stopping in the data directory ${resolve(directory)}: try again in a ` +
        'moment.',
      { cause },
    );
  }
}

/** In bytes. DynamoDB Local acknowledges transactions that it has no room to store. */
const LEAST_FREE = 200_000_000;

/** The part of `statfs` of `node:fs/promises` that is used. */
export type FileSystemOf = (path: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;

/** @throws SetupError when the disk of this directory has too little room for a database */
export async function requireFreeSpace(directory: string, fileSystemOf?: FileSystemOf): Promise<void> {
  const full = await fullDisk(directory, fileSystemOf);
  if (full !== undefined) throw new SetupError(full);
}

/**
 * Makes a table's client check the disk before each write, and refuse the write while there is too little room. Reads
 * go on. The client then throws {@link TableUnavailable}.
 * @param directory where the DynamoDB of the table keeps its data
 */
export function refuseWritesWhenFull({ client }: Table, directory: string, fileSystemOf?: FileSystemOf): void {
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const isWrite = !isRead(dynamoDbOperationOf(context.commandName ?? ''));
      const full = isWrite ? await fullDisk(directory, fileSystemOf).catch(unreadable) : undefined;
      if (full !== undefined) throw new listErrors.TableUnavailable(full);
      return next(call);
    },
    { step: 'initialize', name: 'refuseWritesWhenFull' },
  );
}

/** @throws TableUnavailable where the directory is gone, and so is what would be written to it */
function unreadable(cause: unknown): never {
  throw new listErrors.TableUnavailable('the data directory cannot be read', { cause });
}

/** A sentence with the remedy for a disk with too little room; undefined: it has enough. */
async function fullDisk(directory: string, fileSystemOf: FileSystemOf = statfs): Promise<string | undefined> {
  const { bavail, bsize } = await fileSystemOf(directory);
  const free = bavail * bsize;
  if (free >= LEAST_FREE) return undefined;
  return (
    `Only ${megabytes(free)} MB are free on the disk of the data directory ${directory}, and DynamoDB would ` +
    `lose what it has no room for: free at least ${megabytes(LEAST_FREE)} MB, or set DATA_DIR to another directory.`
  );
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000);
