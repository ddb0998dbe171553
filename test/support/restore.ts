import { afterAll, beforeAll, vi } from 'vitest';

/**
 * Restores the environment and the clock after each file: the next one shares the process, and reads them before its
 * first test.
 */
const environment = process.env;
let before: NodeJS.ProcessEnv;

beforeAll(() => {
  before = { ...environment };
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
