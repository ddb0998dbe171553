import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivate } from '../../shared/private-file.ts';
import { DATA_FILES } from './engine.ts';
import { EmbeddedDynamoDbError } from './errors.ts';
import { LOCK_FILE, notWritable } from './lock.ts';

/** Beside a database SQLite keeps files named after it, such as `-journal` and `-wal`. */
const PREFIXES = [...Object.values(DATA_FILES), LOCK_FILE];

/**
 * Lets only the owner read the databases in a directory, also those that were made under another umask. A missing database is created first:
 * SQLite gives the files beside a database its mode.
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
