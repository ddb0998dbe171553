import { statfs } from 'node:fs/promises';
import { EmbeddedDynamoDbError } from './errors.ts';

/** In bytes. DynamoDB Local acknowledges transactions that it has no room to store. */
const LEAST_FREE = 200_000_000;

/** The part of `statfs` of `node:fs/promises` that is asked for. */
export type FileSystemOf = (path: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;

/** @throws EmbeddedDynamoDbError when the disk of this directory has too little room for a database */
export async function requireFreeSpace(directory: string, fileSystemOf: FileSystemOf = statfs): Promise<void> {
  const { bavail, bsize } = await fileSystemOf(directory);
  const free = bavail * bsize;
  if (free >= LEAST_FREE) return;
  throw new EmbeddedDynamoDbError(
    `Only ${megabytes(free)} MB are free on the disk of the data directory ${directory}, and DynamoDB would lose what it has no room for: free at least ${megabytes(LEAST_FREE)} MB, or set DATA_DIR to another directory.`,
  );
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000);
