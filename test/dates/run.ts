import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { commandLine } from '../../local/terminal/command-line.ts';

/**
 * `npm run test:dates`: the tests that have to do with time, on other days and in other places. DynamoDB keeps the real clock; its TTL then
 * deletes nothing, for all runs are in the future of it.
 */

/** Folders with tests that look at the time; those are run that name a date or a clock. */
const FOLDERS = [
  'test/dates',
  'test/table',
  'packages/counted-lists/test',
  'test/auth',
  'test/middleware',
  'test/http',
];
const LOOKS_AT_TIME = /\bDate\b|[cC]lock/;
/** Without sampled tests: what is sampled asks the same whatever the day. */
const filesToRun = (): string[] =>
  globSync(
    FOLDERS.map((folder) => `${folder}/*.test.ts`),
    { exclude: ['**/*.sampled.test.ts'] },
  ).filter((file) => LOOKS_AT_TIME.test(readFileSync(file, 'utf8')));

type Variables = Readonly<Record<'TEST_CLOCK' | 'TZ', string>>;

const RUNS: Readonly<Record<string, () => Partial<Variables>>> = {
  month: () => ({ TEST_CLOCK: until((date) => date.setUTCMonth(date.getUTCMonth() + 1)) }),
  year: () => ({ TEST_CLOCK: until((date) => date.setUTCFullYear(date.getUTCFullYear() + 1)) }),
  'leap-day': () => ({ TEST_CLOCK: until((date) => date.setTime(nextLeapDay(date))) }),
  midnight: () => ({ TEST_CLOCK: 'before-midnight' }),
  kathmandu: () => ({ TZ: 'Asia/Kathmandu' }),
  'new-york': () => ({ TZ: 'America/New_York' }),
};

/** Milliseconds from now. */
function until(set: (date: Date) => void): string {
  const now = new Date();
  const then = new Date(now);
  set(then);
  return String(then.getTime() - now.getTime());
}

/** Noon of the next 29 February. */
function nextLeapDay(now: Date): number {
  for (let year = now.getUTCFullYear(); ; year++) {
    const day = new Date(Date.UTC(year, 1, 29, 12));
    if (day.getUTCDate() === 29 && day > now) return day.getTime();
  }
}

const reportSchema = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), meta: z.object({ days: z.array(z.string()).optional() }) }),
      ),
    }),
  ),
});
type Report = z.infer<typeof reportSchema>;

/** @returns what is wrong, in words; nothing when all is well */
function run(name: string, parts: readonly string[]): string[] {
  const variables: Variables = {
    TEST_CLOCK: '0',
    TZ: 'UTC',
    ...Object.assign({}, ...parts.map((part) => RUNS[part]?.())),
  };
  console.log(`\n${name}: TEST_CLOCK=${variables.TEST_CLOCK} TZ=${variables.TZ} vitest run`);
  const report = reportOf(variables, filesToRun());
  if (report === undefined) return [`${name}: nothing was tested`];

  const files = report.testResults.map((file) => ({
    name: file.name,
    passed: file.assertionResults.filter(({ status }) => status === 'passed').length,
    days: new Set(file.assertionResults.flatMap(({ meta }) => meta.days ?? [])),
  }));
  const days = [...new Set(files.flatMap((file) => [...file.days]))].sort();
  const over = files.filter((file) => file.days.size > 1).length;
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  console.log(
    `${name}: ${passed} tests passed on ${days.join(', ')}; ${over} of ${files.length} files ran over midnight`,
  );
  const empty = FOLDERS.filter((area) => !files.some((file) => file.name.includes(`/${area}/`) && file.passed > 0));
  return [
    ...(report.success ? [] : [`${name}: tests failed`]),
    ...empty.map((area) => `${name}: no test of ${area} ran`),
    ...(parts.includes('midnight') && over === 0 ? [`${name}: nothing ran over midnight`] : []),
  ];
}

function reportOf(variables: Variables, files: readonly string[]): Report | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'custodia-dates-'));
  const file = join(directory, 'report.json');
  try {
    const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
    const env = { ...process.env, ...variables };
    spawnSync(process.execPath, [vitest, 'run', '--project=quick', ...files, ...reporters], {
      stdio: 'inherit',
      env,
    });
    return reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    console.error(error);
    return undefined;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const program = commandLine('test:dates')
  .description('Runs the tests that have to do with time under other clocks and time zones')
  .argument('[runs...]', `${Object.keys(RUNS).join(', ')}; several at once: year+kathmandu`, Object.keys(RUNS))
  .action((names: readonly string[]) => {
    const asked = names.map((name) => ({ name, parts: name.split('+') }));
    const unknown = asked.flatMap(({ parts }) => parts.filter((part) => !(part in RUNS)));
    if (unknown.length > 0) program.error(`error: there is no run ${unknown.join(', ')}`);
    const wrong = asked.flatMap(({ name, parts }) => run(name, parts));
    console.log(wrong.length === 0 ? `\nall well: ${names.join(', ')}` : `\n${wrong.join('\n')}`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  });

program.parse();
