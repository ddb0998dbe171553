import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { countTableCalls } from './counted-calls.ts';

/** Access to the table: a client and the table's name. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/** Whole numbers beyond 2^53 (words of bits) are read as bigint, all others as number. */
const exactNumber = (value: string): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(value) ? number : BigInt(value);
};

/**
 * Access to a table, whose calls are counted.
 * @param clientOf makes the client, which must read numbers by this function
 */
export function connectTable(
  name: string,
  clientOf: (readNumber: typeof exactNumber) => DynamoDBDocumentClient,
): Table {
  const client = clientOf(exactNumber);
  countTableCalls(client);
  return { name, client };
}

/** The item in an error, which the document client does not unmarshall. */
export const itemOf = (raw: Record<string, AttributeValue> | undefined): Record<string, unknown> | undefined =>
  raw === undefined ? undefined : unmarshall(raw, { wrapNumbers: exactNumber });
