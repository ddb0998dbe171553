import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LambdaFunction } from './account/functions.ts';

/** The simulated runtime does what Lambda's does with functions that are not as ours, so that a bundle that becomes like them is noticed. */

const LONG_MS = 60_000;

/** A function of this code, which ends with the test. */
function functionOf(code: string, { file = 'index.mjs', handler = 'index.handler' } = {}): LambdaFunction {
  const taskRoot = mkdtempSync(join(tmpdir(), 'custodia-'));
  if (code !== '') writeFileSync(join(taskRoot, file), code);
  const made = new LambdaFunction({
    name: 'fixture',
    taskRoot,
    handler,
    timeoutMs: LONG_MS,
    memoryMb: 512,
    environment: { OWN: 'yes' },
  });
  onTestFinished(async () => {
    await made.stop();
    rmSync(taskRoot, { recursive: true });
  });
  return made;
}

const responseTo = async (code: string, event: unknown = {}): Promise<unknown> => {
  const outcome = await functionOf(code).invoke(event);
  return 'payload' in outcome ? JSON.parse(outcome.payload) : outcome;
};

describe('a handler', () => {
  it('gets event and context, and no variable of this machine', async () => {
    const response = await responseTo(
      `export const handler = async (event, context) =>
        ({ event, left: context.getRemainingTimeInMillis(), keys: Object.keys(context), variables: Object.keys(process.env) });`,
      { a: 1 },
    );
    expect(response).toMatchObject({
      event: { a: 1 },
      keys: expect.arrayContaining(['awsRequestId', 'invokedFunctionArn', 'functionName', 'memoryLimitInMB']),
      variables: expect.arrayContaining(['OWN', '_HANDLER', '_X_AMZN_TRACE_ID', 'AWS_LAMBDA_FUNCTION_NAME']),
    });
    const { keys, variables, left } = response as { keys: string[]; variables: string[]; left: number };
    for (const gone of ['done', 'succeed', 'fail', 'callbackWaitsForEmptyEventLoop']) expect(keys).not.toContain(gone);
    expect(variables).not.toContain('PATH');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(LONG_MS);
  });

  it.each([
    ['no value', 'export const handler = async () => undefined;', null],
    ['a value without a promise', 'export const handler = () => 7;', 7],
    ['a value of its default export', 'export default { handler: () => 8 };', 8],
  ])('answers %s', async (_, code, expected) => {
    expect(await responseTo(code)).toEqual(expected);
  });

  it.each([
    ['an error', 'throw new RangeError("too far")', 'RangeError', 'too far'],
    ['no error', 'throw "just text"', 'string', 'just text'],
    ['what is no JSON', 'return 1n', 'TypeError', 'Do not know how to serialize a BigInt'],
  ])('that fails with %s is an error of the function, which goes on', async (_, statement, errorType, errorMessage) => {
    const made = functionOf(
      `export const handler = async (event) => { if (event.fail) { ${statement} } return 'fine'; };`,
    );
    const outcome = await made.invoke({ fail: true });
    expect(outcome).toEqual({ error: { errorType, errorMessage, trace: expect.any(Array) } });
    expect(await made.invoke({})).toEqual({ payload: '"fine"' });
    expect(made.environments).toHaveLength(1);
    expect(made.log).toContain(errorMessage);
  });

  it.each([
    ['throws where nobody catches it', 'setImmediate(() => { throw new Error("lost") })', 'exit status 1'],
    ['rejects where nobody catches it', 'Promise.reject(new Error("lost"))', 'exit status 1'],
    ['ends its process', 'process.exit(3)', 'exit status 3'],
    ['has nothing left to wait for', '', 'without providing a reason|exit status 13'],
  ])('that %s ends its environment, and the next invocation has a fresh one', async (_, statement, reason) => {
    const made = functionOf(
      `export const handler = (event) => { if (!event.end) return process.pid; ${statement}; return new Promise(() => {}); };`,
    );
    expect(await made.invoke({ end: true })).toEqual({
      error: { errorType: 'Runtime.ExitError', errorMessage: expect.stringMatching(reason) },
    });
    expect(await made.invoke({})).toEqual({ payload: String(made.environments[1]?.pid) });
    expect(made.environments.map(({ hasEnded }) => hasEnded)).toEqual([true, false]);
  });

  it('that takes too long is ended, and the next invocation has a fresh environment', async () => {
    const made = functionOf(
      'export const handler = (event) => event.hang ? new Promise(() => setInterval(() => {}, 1000)) : 1;',
    );
    expect(await made.invoke({ hang: true }, 1)).toEqual({
      error: {
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringMatching(/Task timed out after 0\.00 seconds$/),
      },
    });
    expect(await made.invoke({})).toEqual({ payload: '1' });
  });

  it('serves one invocation at a time', async () => {
    const made = functionOf('let at = 0; export const handler = async () => { at++; await null; return at--; };');
    const outcomes = await Promise.all([made.invoke({}), made.invoke({}), made.invoke({})]);
    expect(outcomes).toEqual([{ payload: '1' }, { payload: '1' }, { payload: '1' }]);
    expect(made.environments).toHaveLength(1);
  });
});

describe('what is no handler for Node.js 24 is refused while it starts:', () => {
  it.each<[string, string, string, { readonly handler?: string }]>([
    ['a callback', 'export const handler = (event, context, callback) => callback();', 'CallbackHandlerDeprecated', {}],
    [
      'a stream, which is not simulated',
      `const handler = async () => {};
       handler[Symbol.for('aws.lambda.runtime.handler.streaming')] = 'response';
       export { handler };`,
      'StreamingNotSimulated',
      {},
    ],
    ['another name', 'export const main = async () => {};', 'HandlerNotFound', {}],
    ['no function', 'export const handler = 7;', 'HandlerNotFound', {}],
    ['no module', '', 'ImportModuleError', {}],
    ['no code', 'export const = ;', 'UserCodeSyntaxError', {}],
    [
      'a path upwards',
      'export const handler = async () => {};',
      'MalformedHandlerName',
      { handler: '../index.handler' },
    ],
    ['no export named', 'export const handler = async () => {};', 'MalformedHandlerName', { handler: 'index' }],
  ])('%s', async (_, code, type, options) => {
    const made = functionOf(code, options);
    expect(await made.invoke({})).toMatchObject({ error: { errorType: `Runtime.${type}` } });
    expect(made.environments[0]?.calls).toEqual(['POST init/error']);
  });

  it('an error while it is loaded, and what comes after it is tried anew', async () => {
    const made = functionOf('throw new TypeError("no variable");');
    for (const count of [1, 2]) {
      expect(await made.invoke({})).toMatchObject({ error: { errorType: 'TypeError', errorMessage: 'no variable' } });
      expect(made.environments).toHaveLength(count);
    }
  });
});
