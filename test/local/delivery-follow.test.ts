import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { followTable } from '../../local/deliveries/index.ts';
import { listening } from '../support/listening.ts';

/**
 * What wakes deliveries on this machine. An engine that is scripted here does what the real ones do after hours only:
 * it ends shards, and trims records. `start-deliveries.slow.test.ts` follows the real streams.
 */

type Reply = object | undefined;

/** An engine with these replies by operation, in order; the last one again and again. None is a 400. */
async function engineOf(script: Readonly<Record<string, readonly Reply[]>>) {
  const calls: string[] = [];
  const counts: Record<string, number> = {};
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const body = (await json(request)) as Readonly<Record<string, string>>;
    calls.push([operation, body.ShardId, body.ShardIteratorType, body.ShardIterator].filter(Boolean).join(' '));
    const replies = script[operation] ?? [];
    const at = Math.min(counts[operation] ?? 0, replies.length - 1);
    counts[operation] = at + 1;
    return replies[at];
  };
  const server = createServer(async (request, response) => {
    const reply = await answer(request);
    response.writeHead(reply === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(reply ?? { __type: 'com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException' }));
  });
  onTestFinished(() => void server.close());
  return { address: await listening(server), calls };
}

const table = (TableArn: string, more: object = {}) => ({ Table: { TableName: 'custodia', TableArn, ...more } });
const STREAMED = table('arn:aws:dynamodb:ddblocal:000000000000:table/custodia', { LatestStreamArn: 'a-stream' });
const shards = (...ids: readonly string[]) => ({ StreamDescription: { Shards: ids.map((ShardId) => ({ ShardId })) } });
const at = (ShardIterator: string) => ({ ShardIterator });
const page = (tenant: string | undefined, next?: string) => ({
  Records: tenant ? [{ eventName: 'INSERT', dynamodb: { Keys: { PK: { S: tenant } } } }] : [],
  ...(next !== undefined && { NextShardIterator: next }),
});

/**
 * Follows until so many things have happened, and tells which. A second address is that of the engine after it was
 * restarted.
 */
async function follow([first, ...others]: readonly string[], most: number) {
  let address = first ?? '';
  const happened: string[] = [];
  const end = new AbortController();
  const note = (what: string): void => {
    happened.push(what);
    if (happened.length === most) end.abort();
  };
  await followTable({
    address: () => address,
    tableName: 'custodia',
    signal: end.signal,
    wake: async (records) => note(records.map(({ dynamodb }) => dynamodb.Keys.PK?.S).join()),
    wakeAll: async () => note('all'),
    onError: (error) => {
      address = others.shift() ?? address;
      note(String(error));
    },
    pauseMs: 0,
    longerPauseMs: 0,
  });
  return happened;
}

it('reads the stream from its end, and goes on from shard to shard', async () => {
  const { address, calls } = await engineOf({
    DescribeTable: [STREAMED],
    DescribeStream: [shards('1'), shards('1', '2')],
    GetShardIterator: [at('1a'), at('2a')],
    GetRecords: [page('x', '1b'), page('y'), page('z', '2b')],
  });
  expect(await follow([address], 4)).toEqual(['all', 'x', 'y', 'z']);
  expect(calls).toEqual([
    ...['DescribeTable', 'DescribeStream', 'GetShardIterator 1 LATEST', 'GetRecords 1a', 'GetRecords 1b'],
    ...['DescribeStream', 'GetShardIterator 2 TRIM_HORIZON', 'GetRecords 2a'],
  ]);
});

const LOST = expect.stringMatching(/^EngineError: 400 .*TrimmedDataAccess/);
const STREAM = { DescribeTable: [STREAMED], DescribeStream: [shards('1')] };

it('begins anew, and wakes all, where its place is lost', async () => {
  const iterators = { GetShardIterator: [at('1a'), at('1k')] };
  const { address } = await engineOf({
    ...STREAM,
    ...iterators,
    GetRecords: [page('x', '1b'), undefined, page('y', '1l')],
  });
  expect(await follow([address], 5)).toEqual(['all', 'x', LOST, 'all', 'y']);
});

it('goes on where the engine is, after it was restarted', async () => {
  const started = { ...STREAM, GetShardIterator: [at('1a')] };
  const first = await engineOf({ ...started, GetRecords: [page('x', '1b'), undefined] });
  const second = await engineOf({ ...started, GetRecords: [page('y', '1b')] });
  expect(await follow([first.address, second.address], 5)).toEqual(['all', 'x', LOST, 'all', 'y']);
});

it('makes a stream of a table that has none, such as one of an earlier release', async () => {
  const { address, calls } = await engineOf({
    DescribeTable: [table('arn:aws:dynamodb:ddblocal:000000000000:table/custodia')],
    UpdateTable: [{ TableDescription: { LatestStreamArn: 'a-stream' } }],
    DescribeStream: [shards('1')],
    GetShardIterator: [at('1a')],
    GetRecords: [page('x', '1b')],
  });
  expect(await follow([address], 2)).toEqual(['all', 'x']);
  expect(calls.slice(0, 3)).toEqual(['DescribeTable', 'UpdateTable', 'DescribeStream']);
});

it.each([
  ['has no streams', table('arn:aws:dynamodb:other:000000000000:table/custodia'), undefined],
  ['has streams that slow its writes down', table('arn:aws:dynamodb:dynoxide:000000000000:table/custodia'), {}],
])('of an engine that %s, it looks at the journals themselves', async (_, description, updated) => {
  const { address, calls } = await engineOf({ DescribeTable: [description], UpdateTable: [updated] });
  expect(await follow([address], 3)).toEqual(['all', 'all', 'all']);
  expect(calls.filter((call) => call.includes('Stream') || call.includes('Shard'))).toEqual([]);
});

it('ends at once, also while the engine does not respond', async () => {
  const silent = createServer(() => end.abort());
  onTestFinished(() => void silent.close());
  const address = await listening(silent);
  const end = new AbortController();
  const nothing = vi.fn(async () => undefined);
  const followed = { wake: nothing, wakeAll: nothing, onError: nothing };
  await followTable({ address: () => address, tableName: 'custodia', signal: end.signal, ...followed });
  silent.closeAllConnections();
  expect(nothing).not.toHaveBeenCalled();
});
