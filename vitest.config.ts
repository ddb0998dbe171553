import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST, projects } from './test/projects.ts';
import { PATIENCE } from './test/support/patience.ts';

const globalSetup = ['test/support/global-setup.ts'];

/** Begins with the files that take longest: one that came last would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((path) => moduleId.endsWith(path));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** `npm test` runs `unit` and `http`, `npm run test:slow` runs `stack`, `again` and `slow`. */
export default defineConfig({
  test: {
    // The files of a worker share its modules, as requests share a warm container: loading them again takes longer than most tests. Slow ones
    // do as they like with their process.
    projects: [
      { extends: true, test: { name: 'unit', ...projects.unit, isolate: false } },
      { extends: true, test: { name: 'http', ...projects.http, globalSetup, isolate: false } },
      { extends: true, test: { name: 'stack', ...projects.stack, isolate: false } },
      { extends: true, test: { name: 'again', ...projects.again, globalSetup, isolate: false } },
      { extends: true, test: { name: 'slow', ...projects.slow, globalSetup } },
    ],
    // Two cores, and DynamoDB is a process of its own: a third worker would only wait.
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // No test asserts how long something takes. These end what hangs, also where ten other processes keep the machine busy.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: PATIENCE } },
    // `npm run test:dates` moves the clock.
    setupFiles: [
      'test/support/environment.ts',
      'test/support/restore.ts',
      ...(process.env.TEST_CLOCK === undefined ? [] : ['test/dates/setup.ts']),
    ],
    unstubEnvs: true,
    restoreMocks: true,
    coverage: {
      include: ['{functions,infra,local,operator,shared}/**/*.ts'],
      reporter: ['text', 'html'],
    },
  },
});
