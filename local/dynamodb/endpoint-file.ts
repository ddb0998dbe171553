import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EmbeddedDynamoDbError } from './errors.ts';

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
      `Another instance is just starting or stopping in the data directory ${resolve(directory)}: try again in a moment.`,
      { cause },
    );
  }
}
