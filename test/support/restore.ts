import { afterAll, vi } from 'vitest';

/** A file leaves the environment as it was: the next one shares its process, and reads it before a test of its own begins. */
afterAll(() => {
  vi.unstubAllEnvs();
});
