import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { NumberOf } from './lean/attribute-values.ts';
import { type Chain, leanChain, type PlainCommand } from './lean/chain.ts';
import { LeanSigner } from './lean/signer.ts';

/**
 * The SDK's document client without the parts that cost time in every call and are of no use here (`npm run bench --
 * requests`, `docs/decisions/0122-lean-client.md`).
 */

/**
 * The first two add headers about the calling software and function, which DynamoDB does not need. The third copies
 * input and output of each call for a logger, even without one.
 */
const DISPENSABLE = ['getUserAgentMiddleware', 'recursionDetectionMiddleware', 'loggerMiddleware'];

/**
 * A document client of this configuration; its calls, retries and errors are the SDK's.
 * @param numberOf makes what is read of the text of a number
 */
export function leanDocumentClient(config: DynamoDBClientConfig, numberOf: NumberOf): DynamoDBDocumentClient {
  const plain = new DynamoDBClient(config);
  for (const name of DISPENSABLE) plain.middlewareStack.remove(name);
  const client = DynamoDBDocumentClient.from(plain, { unmarshallOptions: { wrapNumbers: numberOf } });
  signLean(client);
  keepChains(client, numberOf);
  return client;
}

/** Makes one signer for a client, where the SDK makes one for every call. */
function signLean({ config }: DynamoDBDocumentClient): void {
  const make = config.signer;
  const signer = new LeanSigner(config, () => make());
  config.signer = async () => signer as never;
}

/** Members of a document client's command that its type does not show. */
interface DocumentCommand {
  readonly clientCommand: PlainCommand & { readonly input: object };
}

/** Makes a client compose the middlewares once for each kind of command, and not for every call. */
function keepChains(client: DynamoDBDocumentClient, numberOf: NumberOf): void {
  const chains = new Map<unknown, Chain | undefined>();
  forgetOnChange(client, chains);
  const chainOf = ({ constructor: kind, clientCommand }: DocumentCommand): Chain | undefined => {
    if (!chains.has(kind)) chains.set(kind, leanChain(client, clientCommand, numberOf));
    return chains.get(kind);
  };
  const send = client.send.bind(client) as (command: unknown, ...others: unknown[]) => Promise<unknown>;
  const sendByKeptChain = async (command: DocumentCommand, ...others: unknown[]): Promise<unknown> => {
    // Other options and callbacks are the SDK's to understand.
    const chain = others.every(isSignalOnly) ? chainOf(command) : undefined;
    if (chain === undefined) return send(command, ...others);
    const [{ abortSignal } = {}] = others as { readonly abortSignal?: AbortSignal }[];
    const { input } = command.clientCommand;
    const responded = chain({ input, abortSignal });
    return (await (abortSignal === undefined ? responded : unlessAborted(responded, abortSignal))).output;
  };
  client.send = sendByKeptChain as unknown as DynamoDBDocumentClient['send'];
}

/** Whether options of a call have an abort signal and nothing else. */
const isSignalOnly = (options: unknown): boolean =>
  typeof options === 'object' && Object.keys(options ?? {}).join() === 'abortSignal';

/**
 * What is under way, until a signal is aborted: waiting for credentials or for another attempt ends then, too.
 * @throws Error `AbortError`, as the SDK does
 */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new DOMException('the call was aborted', 'AbortError'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Adding or removing a middleware takes effect from the next call on, as with the SDK. */
function forgetOnChange({ middlewareStack }: DynamoDBDocumentClient, chains: Map<unknown, unknown>): void {
  for (const name of ['add', 'addRelativeTo', 'use', 'remove', 'removeByTag'] as const) {
    const change = middlewareStack[name] as (...given: unknown[]) => unknown;
    Object.assign(middlewareStack, {
      [name]: (...given: unknown[]) => {
        chains.clear();
        return change(...given);
      },
    });
  }
}
