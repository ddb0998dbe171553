import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { loadHandler } from './user-function.ts';

/**
 * The runtime of one execution environment: what Lambda starts in the place of a function. It loads the handler, and then takes one
 * invocation after the other from the runtime API (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
 *
 * It does as AWS's runtime interface client for Node.js 24 (npm `aws-lambda-ric` 4.0.2): the context without callbacks, what is posted of an
 * error and what is logged of it, and no listener for errors that nobody catches, which therefore end the process. It leaves out what our functions
 * do not use: streaming, several invocations at once, and the global `awslambda`.
 */

const environment = process.env as Readonly<Record<string, string>>;
const { AWS_LAMBDA_RUNTIME_API: api, LAMBDA_TASK_ROOT: taskRoot = '', _HANDLER: handlerName = '' } = environment;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Waits for as long as it takes: an environment may be idle for long. */
const call = (method: 'GET' | 'POST', path: string, body = '', headers: Record<string, string> = {}) =>
  new Promise<Reply>((resolve, reject) => {
    request(`http://${api}/2018-06-01/runtime/${path}`, { method, agent, headers }, async (response) => {
      resolve({ headers: response.headers, body: await text(response) });
    })
      .once('error', reject)
      .end(body);
  });

/** An error as Lambda passes it on to who invoked the function. */
const described = (error: unknown) =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] }
    : { errorType: typeof error, errorMessage: String(error), trace: [] };

/** As the JSON log format has it: with everything that can be enumerated of an error, whoever may read the log. */
function logError(error: unknown, requestId: string | undefined): void {
  const told = error instanceof Error ? error : new Error(String(error));
  const message = {
    errorType: told.constructor.name,
    errorMessage: told.message,
    stackTrace: told.stack?.split('\n'),
    ...told,
  };
  const line = { timestamp: new Date().toISOString(), level: 'ERROR', requestId, message };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function load() {
  try {
    return await loadHandler(taskRoot, handlerName);
  } catch (error) {
    logError(error, undefined);
    const body = described(error);
    await call('POST', 'init/error', JSON.stringify(body), { 'Lambda-Runtime-Function-Error-Type': body.errorType });
    throw error;
  }
}

function contextOf(headers: IncomingHttpHeaders) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    clientContext: undefined,
    identity: undefined,
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    awsRequestId: String(headers['lambda-runtime-aws-request-id']),
    tenantId: undefined,
    xRayTraceId: headers['lambda-runtime-trace-id'],
    getRemainingTimeInMillis: () => deadline - Date.now(),
    functionName: environment.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: environment.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: environment.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: environment.AWS_LAMBDA_LOG_STREAM_NAME,
  };
}

const handler = await load();
while (true) {
  const { headers, body } = await call('GET', 'invocation/next');
  const context = contextOf(headers);
  process.env._X_AMZN_TRACE_ID = String(context.xRayTraceId);
  const invocation = `invocation/${encodeURIComponent(context.awsRequestId)}`;
  try {
    const result = await handler(JSON.parse(body), context);
    await setImmediate();
    await call('POST', `${invocation}/response`, JSON.stringify(result ?? null));
  } catch (error) {
    await setImmediate();
    logError(error, context.awsRequestId);
    await call('POST', `${invocation}/error`, JSON.stringify(described(error)));
  }
}
