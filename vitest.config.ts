import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // `npm run test:dates` moves the clock.
    setupFiles: process.env.TEST_CLOCK === undefined ? [] : ['test/dates/setup.ts'],
    testTimeout: 30_000,
    // Synthesizing a stack takes seconds, and on a loaded machine minutes.
    hookTimeout: 240_000,
    // Two cores, and DynamoDB is a process of its own: a third worker would only wait.
    pool: 'forks',
    maxWorkers: 2,
    unstubEnvs: true,
    restoreMocks: true,
    coverage: {
      include: ['{functions,infra,local,operator,shared}/**/*.ts'],
      reporter: ['text', 'html'],
    },
  },
});
