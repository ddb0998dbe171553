import type { DynamoDBClientResolvedConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type EndpointParameterInstructions, getEndpointFromInstructions, toEndpointV1 } from '@smithy/core/endpoints';
import { HttpRequest, type HttpResponse } from '@smithy/core/protocols';
import { getSchemaSerdePlugin, operation } from '@smithy/core/schema';
import type { Context, Middleware, Next, Responded, ServiceCall } from '../middleware.ts';
import { responseMetadataOf, wayThrough } from '../steps.ts';
import type { NumberOf } from './attribute-values.ts';
import { codecOf, type Write } from './dynamodb-json.ts';

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
