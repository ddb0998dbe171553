import { afterAll, beforeAll, vi } from 'vitest';

/**
 * Restores the environment and the clock after each file: the next one shares the process, and reads them before its
 * first test. A file that leaves a listener at the process fails: at the eleventh Node would print a warning, in
 * whichever file comes then.
 */
const environment = process.env;
let before: NodeJS.ProcessEnv;

let listenersBefore: number;

/** Test files share those of `keyDirectory()` and of aws-cdk-lib. */
const SHARED_LISTENERS = 2;

beforeAll(() => {
  before = { ...environment };
  listenersBefore = process.listenerCount('exit');
});
afterAll(() => {
  const listeners = process.listenerCount('exit');
  if (listeners > Math.max(listenersBefore, SHARED_LISTENERS)) {
    throw new Error(`${listeners} listeners wait for the end of this process: ${process.listeners('exit').join('\n')}`);
  }
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  const isReplaced = process.env !== environment;
  process.env = environment;
  for (const name of Object.keys(environment)) if (!(name in before)) delete environment[name];
  Object.assign(environment, before);
  // Vitest would go on to delete what it stubs from the object that the process began with.
  if (isReplaced) throw new Error('A test has replaced process.env; change its variables instead.');
});
