import { DynamoDBClient, type DynamoDBClientConfig, type DynamoDBClientResolvedConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type EndpointParameterInstructions, getEndpointFromInstructions, toEndpointV1 } from '@smithy/core/endpoints';
import { HttpRequest, type HttpResponse } from '@smithy/core/protocols';
import { getSchemaSerdePlugin, operation } from '@smithy/core/schema';
import { codecOf, type NumberOf, type Write } from './dynamodb-json.ts';
import { LeanSigner } from './signer.ts';
import {
  type Context,
  type Middleware,
  type Next,
  type Responded,
  responseMetadataOf,
  type ServiceCall,
  wayThrough,
} from './steps.ts';

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
 * @example
 * const client = leanDocumentClient({ region: 'eu-west-1' }, Number);
 * const { Item } = await client.send(new GetCommand({ TableName, Key }));
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

/** Sends a command of the plain client, with the input of the document client's. */
export type Chain = ReturnType<typeof wayThrough>;

/** What a command of the plain client has besides what its type shows. */
export interface PlainCommand {
  readonly schema: readonly [kind: number, ...Schema];
  readonly constructor: { readonly getEndpointParameterInstructions: () => EndpointParameterInstructions };
}

type Schema = Parameters<typeof operation>;

/** The calls whose schemas are attribute values, texts, numbers and booleans only. */
const LEAN: ReadonlySet<string> = new Set([
  'BatchGetItem',
  'BatchWriteItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'TransactGetItems',
  'TransactWriteItems',
  'UpdateItem',
]);

/**
 * The way of a kind of command through the middlewares of a client, with three steps of ours in place of seven of the
 * SDK's: one makes the request of the document client's input, one has it signed, one makes the document client's
 * output of the response. Retries, errors, correction of the clock and the choice of an endpoint stay the SDK's.
 * Undefined for other commands: they go the SDK's way.
 */
export function leanChain(
  client: DynamoDBDocumentClient,
  command: PlainCommand,
  numberOf: NumberOf,
): Chain | undefined {
  const { config } = client;
  const [, namespace, name, traits, input, output] = command.schema;
  if (!LEAN.has(name)) return undefined;
  const context: Context = {
    clientName: 'DynamoDBClient',
    commandName: `${name}Command`,
    logger: config.logger,
    __smithy_context: { operation: name, operationSchema: command.schema },
  };
  const template = templates(config, context, {
    operation: operation(namespace, name, traits, input, output),
    instructions: command.constructor.getEndpointParameterInstructions(),
  });
  const { write, read } = codecOf(input, output);
  const steps = {
    request: requesting(template, write),
    response: responding(config, context, (json) => read(json, numberOf)),
  };
  return wayThrough(client, context, steps, (request, abortSignal) =>
    config.requestHandler.handle(request, abortSignal === undefined ? {} : { abortSignal }),
  );
}

/** Makes a call's request without its body. */
type Template = (input: object) => Promise<HttpRequest>;

interface Kind {
  readonly operation: ReturnType<typeof operation>;
  readonly instructions: EndpointParameterInstructions;
}

/**
 * Has the SDK choose the endpoint and make a request once, and again when credentials are of another account: with the
 * region, this is all that an endpoint depends on, as the tables of a client are called by their names.
 */
function templates(
  config: DynamoDBClientResolvedConfig,
  context: Context,
  { operation, instructions }: Kind,
): Template {
  let known: { readonly accountId: string | undefined; readonly request: HttpRequest } | undefined;
  const make = async (input: object): Promise<HttpRequest> => {
    const supplier = { getEndpointParameterInstructions: () => instructions };
    context.endpointV2 = await getEndpointFromInstructions(input, supplier, { ...config } as never, context as never);
    const endpoint = toEndpointV1(context.endpointV2);
    const serde = { ...config, ...context, endpoint: async () => endpoint };
    const protocol = config.protocol as { serializeRequest(...given: unknown[]): Promise<HttpRequest> };
    const request = await protocol.serializeRequest(operation, {}, serde);
    const { hostname, port } = request;
    request.headers.host = port === undefined ? hostname : `${hostname}:${port}`;
    return request;
  };
  return async (input) => {
    const { accountId } = await config.credentials();
    if (known === undefined || known.accountId !== accountId) known = { accountId, request: await make(input) };
    return known.request;
  };
}

const requesting =
  (template: Template, write: Write): Middleware =>
  (next) =>
  async (call) => {
    const empty = await template(call.input);
    const body = write(call.input);
    const headers = { ...empty.headers, 'content-length': String(Buffer.byteLength(body)) };
    return next({ ...call, request: new HttpRequest({ ...empty, headers, body }) });
  };

function responding(
  config: DynamoDBClientResolvedConfig,
  context: Context,
  read: (json: unknown) => unknown,
): Middleware {
  const bySdk = sdkReader(config, context);
  return (next) => async (call) => {
    const { response } = await next(call);
    if (response.statusCode >= 300) return bySdk(response);
    const bytes: Uint8Array = await bytesOf(response.body, config);
    let json: unknown;
    try {
      json = bytes.byteLength === 0 ? {} : JSON.parse(textOf(bytes));
    } catch {
      return bySdk(Object.assign(response, { body: bytes }));
    }
    return { response, output: Object.assign(read(json) as object, { $metadata: responseMetadataOf(response) }) };
  };
}

const EMPTY = new Uint8Array();

const bytesOf = (body: unknown, { streamCollector }: DynamoDBClientResolvedConfig) =>
  body instanceof Uint8Array ? body : body ? streamCollector(body) : EMPTY;

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

/** Makes a response what the SDK makes of it: errors above all. */
function sdkReader(
  config: DynamoDBClientResolvedConfig,
  context: Context,
): (response: HttpResponse) => Promise<Responded> {
  const steps = new Map<string, (next: unknown, context: Context) => Next>();
  const collector = { add: (step: never, { name }: { readonly name: string }) => steps.set(name, step) };
  getSchemaSerdePlugin(config as never).applyToStack(collector as never);
  const step = steps.get('deserializerMiddleware');
  if (step === undefined) throw new Error('the SDK has no deserializerMiddleware');
  return (response) => step(async () => ({ response }), context)({} as ServiceCall);
}
