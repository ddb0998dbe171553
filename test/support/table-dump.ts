import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { FreshTable } from './dynamodb.ts';

/** A dump of the table with every item and attribute. For tests only: the service never scans. */

export type RawItem = Record<string, AttributeValue>;

export async function dumpOf({ client, tableName }: FreshTable): Promise<RawItem[]> {
  const items: RawItem[] = [];
  let start: RawItem | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) }),
    );
    items.push(...Items);
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

/** Those of the texts that the items contain: unchanged, escaped in JSON, or encoded in base64, base64url or hex. */
export function foundIn(items: readonly RawItem[], secrets: readonly string[]): string[] {
  const readable = items.flatMap((item) => Object.entries(item).flatMap(([name, value]) => [name, ...textsOf(value)]));
  const texts = readable.flatMap((text) => formsOf(text, 2)).join('\n');
  return secrets.filter((secret) => texts.includes(secret));
}

function textsOf(value: AttributeValue): string[] {
  if (value.S !== undefined) return [value.S];
  if (value.N !== undefined) return [value.N];
  if (value.B !== undefined) return [Buffer.from(value.B).toString('latin1')];
  if (value.SS !== undefined) return value.SS;
  if (value.BS !== undefined) return value.BS.map((bytes) => Buffer.from(bytes).toString('latin1'));
  if (value.L !== undefined) return value.L.flatMap(textsOf);
  if (value.M !== undefined) return Object.entries(value.M).flatMap(([name, each]) => [name, ...textsOf(each)]);
  return [];
}

/** A text, and its decoded parts. */
function formsOf(text: string, depth: number): string[] {
  if (depth === 0) return [text];
  const encoded = text.match(/[\w+/-]{16,}/g) ?? [];
  const decoded = encoded.flatMap((part) => [
    Buffer.from(part, 'base64').toString('latin1'),
    ...(/^[\da-f]+$/i.test(part) ? [Buffer.from(part, 'hex').toString('latin1')] : []),
  ]);
  const unescaped = text.includes('\\') ? [text.replaceAll(/\\u([\da-f]{4})/gi, unicode).replaceAll('\\', '')] : [];
  return [text, ...[...decoded, ...unescaped].flatMap((form) => formsOf(form, depth - 1))];
}

const unicode = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
