import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { EXTENT } from './test/support/extent.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { PATIENCE, TIMEOUT } from './test/support/patience.ts';

const globalSetup = ['test/support/global-setup.ts'];
const every = '{test,packages/*/test}/**/*.test.ts';

/**
 * What Node has compiled is kept for the next process: tests start some hundred (`npm start`, the operator's command line), each of which would
 * strip the types of the same sources again, two thirds of its work. https://nodejs.org/api/module.html#module-compile-cache
 */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');

/** `.ci/run` and `npm run test:dates` move the clock. */
const isOtherDay = process.env.TEST_CLOCK !== undefined;

/** Extended and nightly tests have more cases in each. */
const timeout = EXTENT === 'sample' ? TIMEOUT : 20 * TIMEOUT;
/** Slow tests run whole programs, some with servers, in one test. */
const ofPrograms = { testTimeout: 10 * TIMEOUT, hookTimeout: 10 * TIMEOUT };

/** Node loads the modules itself, as it does in production: what Vite makes of them takes a third more time to run. */
const loadedByNode = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ['--conditions=custodia-source'],
};

/**
 * The name of a file says when it is run. CONTRIBUTING.md has the table.
 *
 * | file | project | run by |
 * |---|---|---|
 * | `x.test.ts` | quick | `npm test` |
 * | `x.sampled.test.ts` | quick | `npm test` a sample, `npm run test:slow` twice as many, `npm run test:nightly` everything |
 * | `x.stack.test.ts`, `x.slow.test.ts` | stack, slow | `npm run test:slow` |
 */
export default defineConfig({
  // Examples import the client as its users do.
  resolve: { alias: { '@custodia/client': join(import.meta.dirname, 'packages/client/src/index.ts') } },
  test: {
    // The files of a worker share its modules, as requests share a warm container: loading them again takes longer than most tests.
    // Those of `stack` share the templates that they have in common.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: [every],
          exclude: ['**/*.{stack,slow}.test.ts'],
          ...loadedByNode,
          globalSetup,
          setupFiles: ['test/support/fast-check.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['test/**/*.stack.test.ts'],
          ...loadedByNode,
          ...ofPrograms,
          // They wait for nobody, and a third worker would synthesize once more what the others have.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          ...loadedByNode,
          ...ofPrograms,
          globalSetup,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    // Two cores: the third worker uses what the others leave while they wait for DynamoDB, which is a process of its own.
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // What is written to the console goes through test/support/output.ts, as what is written to the terminal.
    disableConsoleIntercept: true,
    // No test asserts how long something takes. These end what hangs.
    testTimeout: timeout,
    hookTimeout: timeout,
    expect: { poll: { timeout: PATIENCE } },
    setupFiles: [
      'test/support/environment.ts',
      'test/support/restore.ts',
      'test/support/output.ts',
      ...(isOtherDay ? ['test/dates/setup.ts'] : []),
    ],
    unstubEnvs: true,
    restoreMocks: true,
    coverage: {
      include: ['{functions,infra,local,operator,shared}/**/*.ts'],
      reporter: ['text', 'html'],
    },
  },
});
