import {
  DescribeTableCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { callEngine, localConnection } from './client.ts';

/** A record of a stream of keys, as the functions of the stack get it, too. */
export interface StreamRecord {
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly dynamodb: { readonly Keys: Readonly<Record<string, { readonly S: string }>> };
}

/**
 * The stream of a table on this machine, from its end on. The table gets one where it has none.
 * @returns undefined where the engine has no streams that can be used
 */
export async function openStream(address: string, tableName: string, signal: AbortSignal): Promise<Stream | undefined> {
  const client = new DynamoDBClient(localConnection(address));
  try {
    const arn = await streamOf(client, tableName, signal);
    if (arn === undefined) return undefined;
    const stream = new Stream(address, arn, signal);
    await stream.followFrom('LATEST');
    return stream;
  } finally {
    client.destroy();
  }
}

async function streamOf(client: DynamoDBClient, TableName: string, abortSignal: AbortSignal) {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }), { abortSignal });
  if (isOfDynoxide(Table)) return undefined;
  if (Table?.LatestStreamArn !== undefined) return Table.LatestStreamArn;
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } as const;
  const enabled = new UpdateTableCommand({ TableName, StreamSpecification });
  try {
    const { TableDescription } = await client.send(enabled, { abortSignal });
    return TableDescription?.LatestStreamArn;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/**
 * dynoxide 1.2.1 keeps all records of a stream for ever, and reads all of a table before it adds one: after 28,000
 * records a write takes twenty times as long.
 */
const isOfDynoxide = (table: TableDescription | undefined): boolean =>
  table?.TableArn?.startsWith('arn:aws:dynamodb:dynoxide:') ?? false;

/** An engine without streams, at `DYNAMODB_ENDPOINT`, may ignore the call, or refuse it. */
const isRefusal = (error: unknown): boolean => error instanceof DynamoDBServiceException && error.$fault === 'client';

interface DescribeStream {
  readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] };
}

interface GetRecords {
  readonly Records: readonly StreamRecord[];
  readonly NextShardIterator?: string;
}

/** Longest time for a call, in milliseconds. */
const CALL_MS = 10_000;

/**
 * Reads all shards of a stream. Any error means that the place is lost: records may have been trimmed, or the engine
 * restarted.
 */
class Stream {
  readonly #address: string;
  readonly #arn: string;
  readonly #signal: AbortSignal;
  /** Where to read next, by shard; undefined: at its end, for ever. */
  readonly #iterators = new Map<string, string | undefined>();

  constructor(address: string, arn: string, signal: AbortSignal) {
    this.#address = address;
    this.#arn = arn;
    this.#signal = signal;
  }

  /** Follows the shards that it does not know yet. */
  async followFrom(ShardIteratorType: 'LATEST' | 'TRIM_HORIZON'): Promise<void> {
    const StreamArn = this.#arn;
    const { StreamDescription } = await this.#call<DescribeStream>('DescribeStream', { StreamArn });
    for (const { ShardId } of StreamDescription.Shards) {
      if (this.#iterators.has(ShardId)) continue;
      const from = { StreamArn, ShardId, ShardIteratorType };
      const { ShardIterator } = await this.#call<{ ShardIterator: string }>('GetShardIterator', from);
      this.#iterators.set(ShardId, ShardIterator);
    }
  }

  /** What has come since the last call; a thousand records of each shard at most. */
  async read(): Promise<readonly StreamRecord[]> {
    const records: StreamRecord[] = [];
    let isAnyAtEnd = false;
    for (const [shard, ShardIterator] of this.#iterators) {
      if (ShardIterator === undefined) continue;
      const page = await this.#call<GetRecords>('GetRecords', { ShardIterator });
      records.push(...page.Records);
      this.#iterators.set(shard, page.NextShardIterator);
      isAnyAtEnd ||= page.NextShardIterator === undefined;
    }
    // A shard is succeeded by others, some hours after it has begun.
    if (isAnyAtEnd) await this.followFrom('TRIM_HORIZON');
    return records;
  }

  async #call<T>(operation: string, body: object): Promise<T> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(CALL_MS)]);
    return (await callEngine(this.#address, `DynamoDBStreams_20120810.${operation}`, body, signal)) as T;
  }
}
