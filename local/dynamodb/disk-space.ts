import { statfs } from 'node:fs/promises';
import { listErrors, type Table } from '@custodia/counted-lists';
import { EmbeddedDynamoDbError } from './engine.ts';
import { dynamoDbOperationOf, isRead } from './usage.ts';

/** In bytes. DynamoDB Local acknowledges transactions that it has no room to store. */
const LEAST_FREE = 200_000_000;

/** The part of `statfs` of `node:fs/promises` that is used. */
export type FileSystemOf = (path: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;

/** @throws EmbeddedDynamoDbError when the disk of this directory has too little room for a database */
export async function requireFreeSpace(directory: string, fileSystemOf?: FileSystemOf): Promise<void> {
  const full = await fullDisk(directory, fileSystemOf);
  if (full !== undefined) throw new EmbeddedDynamoDbError(full);
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
