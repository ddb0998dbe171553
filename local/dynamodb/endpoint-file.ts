import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EmbeddedDynamoDbError } from './errors.ts';

/** In the data directory: where its DynamoDB listens while one runs, with the access key. So only its owner may read it. */

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
