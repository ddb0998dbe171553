import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/**
 * Finds a function's handler, and refuses what Lambda refuses: as AWS's runtime interface client for Node.js 22 and 24 does (npm
 * `aws-lambda-ric` 4.0.2, whose own build is native).
 */
export type Handler = (event: unknown, context: object) => unknown;

/** The function cannot be loaded. Its name is the error type that Lambda reports. */
export class InitError extends Error {
  constructor(type: string, message: string) {
    super(message);
    this.name = `Runtime.${type}`;
  }
}

const EXTENSIONS = ['', '.js', '.mjs', '.cjs'];

/**
 * @param taskRoot directory of the bundle
 * @param name `index.handler`: the module's file without its extension, and the path of the export
 * @throws InitError, or what the module throws while it is loaded
 */
export async function loadHandler(taskRoot: string, name: string): Promise<Handler> {
  if (name.includes('..')) throw new InitError('MalformedHandlerName', `'${name}' is not a valid handler name.`);
  const [, module, path] = /^([^.]*)\.(.*)$/.exec(basename(name)) ?? [];
  if (module === undefined || path === undefined) throw new InitError('MalformedHandlerName', 'Bad handler');
  const folder = name.slice(0, name.length - basename(name).length);
  const exported = await importModule(resolve(taskRoot, folder, module));
  const handler = valueAt(path, exported) ?? valueAt(path, (exported as { default?: unknown }).default);
  if (handler === undefined) throw new InitError('HandlerNotFound', `${name} is undefined or not exported`);
  if (typeof handler !== 'function') throw new InitError('HandlerNotFound', `${name} is not a function`);
  refuseOtherSignatures(handler);
  return handler as Handler;
}

async function importModule(path: string): Promise<unknown> {
  const extension = EXTENSIONS.find((each) => existsSync(`${path}${each}`));
  if (extension === undefined)
    throw new InitError('ImportModuleError', `Error: Cannot find module '${basename(path)}'`);
  try {
    return await import(`${path}${extension}`);
  } catch (error) {
    if (error instanceof SyntaxError) throw new InitError('UserCodeSyntaxError', String(error));
    throw error;
  }
}

const valueAt = (path: string, value: unknown): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (nested, key) => (typeof nested === 'object' && nested !== null ? nested[key as never] : undefined),
      value,
    );

/** Set by `awslambda.streamifyResponse`. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** Node.js 24 functions answer by the promise they return. A handler with a third parameter expects a callback. */
// biome-ignore lint/complexity/noBannedTypes: anything that can be called
function refuseOtherSignatures(handler: Function): void {
  if (STREAMING in handler) {
    throw new InitError('StreamingNotSimulated', 'this handler streams its response, which is not simulated here');
  }
  if (handler.length < 3) return;
  throw new InitError(
    'CallbackHandlerDeprecated',
    'ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24.',
  );
}
