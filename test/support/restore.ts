import { afterAll, beforeAll, vi } from 'vitest';

/** A file leaves the environment and the clock as they were: the next one shares its process, and reads them before a test of its own begins. */
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
