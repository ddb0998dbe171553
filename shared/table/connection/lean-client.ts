import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type TranslateConfig } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from './sha256.ts';

/**
 * The SDK's document client without what costs time at every call and is of no use here: a fifth to a third of what a `GetItem` takes
 * (`npm run bench -- requests`, `docs/decisions/0122-lean-client.md`).
 */

/** They tell AWS what software calls and from which function, in headers that DynamoDB does not need. */
const DISPENSABLE = ['getUserAgentMiddleware', 'recursionDetectionMiddleware'];

const ignore = (): void => undefined;

/** A logger without `info`: with one, even one that does nothing, the SDK copies the input and output of each call for it. */
const QUIET = { trace: ignore, debug: ignore, warn: ignore, error: ignore } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>;

/** A document client of this configuration; its calls, retries and errors are the SDK's. */
export function leanDocumentClient(config: DynamoDBClientConfig, translation: TranslateConfig): DynamoDBDocumentClient {
  const plain = new DynamoDBClient({ logger: QUIET, sha256: Sha256, ...config });
  for (const name of DISPENSABLE) plain.middlewareStack.remove(name);
  const client = DynamoDBDocumentClient.from(plain, translation);
  keepSigner(client);
  keepChains(client);
  return client;
}

/** Makes one signer for a client, where the SDK makes one for every call. It asks for the credentials each time. */
function keepSigner({ config }: DynamoDBDocumentClient): void {
  const make = config.signer;
  let made: ReturnType<typeof make> | undefined;
  config.signer = (scheme) => {
    made ??= make(scheme);
    return made;
  };
}

type Chain = (command: unknown) => Promise<{ readonly output: unknown }>;

/** What a command of the document client has besides what its type shows. */
interface DocumentCommand {
  readonly clientCommand: { readonly resolveMiddleware: (stack: unknown, config: unknown) => Chain };
  readonly addMarshallingMiddleware: (config: unknown) => void;
}

/**
 * Makes a client put together the middlewares of each kind of command once, and not for every call. The SDK's own `cacheMiddleware` would
 * send a document client's first command again and again.
 */
function keepChains(client: DynamoDBDocumentClient): void {
  const chains = new Map<unknown, Chain>();
  forgetOnChange(client, chains);
  const chainOf = (command: DocumentCommand): Chain => {
    // Of each call several middlewares make copies: 0.2 µs for a plain object, 8 µs for one with accessors.
    const config = { ...client.config };
    command.addMarshallingMiddleware(config);
    return command.clientCommand.resolveMiddleware(client.middlewareStack, config);
  };
  const send = client.send.bind(client) as (command: unknown, ...others: unknown[]) => Promise<unknown>;
  const sendByKeptChain = async (command: DocumentCommand, ...others: unknown[]): Promise<unknown> => {
    // Options such as an abort signal become part of a chain.
    if (others.length > 0) return send(command, ...others);
    const kind = command.constructor;
    const chain = chains.get(kind) ?? chainOf(command);
    chains.set(kind, chain);
    return (await chain(command.clientCommand)).output;
  };
  client.send = sendByKeptChain as unknown as DynamoDBDocumentClient['send'];
}

/** A middleware that is added or removed later counts from the next call on, as with the SDK. */
function forgetOnChange({ middlewareStack }: DynamoDBDocumentClient, chains: Map<unknown, Chain>): void {
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
