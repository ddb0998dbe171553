import { Option } from 'commander';
import { commandLine } from '../local/terminal/command-line.ts';
import { OPERATION_NAMES } from './requests/names.ts';

/** `npm run bench -- pages --help` */
const program = commandLine('bench').description('Measures what the documentation claims.');

const SMALL = new Option('--small', 'shorter: about a minute').default(false);
const WRITE_DOCS = new Option('--write-docs', 'put the figures into the pages of docs/').default(false);
const ENGINE = new Option('--engine <name>', 'the embedded DynamoDB').choices(['java', 'dynoxide']);
/** For what only this engine counts as AWS does. */
const EXACT_ENGINE = new Option(ENGINE.flags, ENGINE.description).choices(['java', 'dynoxide']).default('dynoxide');

/**
 * @param run loads the benchmark's modules, which no other benchmark needs, and returns whether all bounds hold; its
 * parameter has the options by their names
 */
function bench(
  name: string,
  description: string,
  run: (options: never) => Promise<boolean>,
  options: readonly Option[] = [],
): void {
  const command = program.command(name).description(description);
  for (const option of options) command.addOption(option);
  command.action(async (given) => {
    process.exitCode = (await run(given as never)) ? 0 : 1;
  });
}

bench(
  'requests',
  'CPU time of requests: ours against the document client alone and against how others build such an API',
  async (options) => (await import('./requests/bench.ts')).benchRequests(options),
  [
    SMALL,
    WRITE_DOCS,
    ENGINE,
    new Option('--operation <names...>', 'what to measure').choices(OPERATION_NAMES),
    new Option('--profile <directory>', 'write CPU profiles instead of measuring'),
  ],
);

bench(
  'cold-start',
  'import and first request of every function in fresh processes, against the bare SDK',
  async (options) => (await import('./cold-start/bench.ts')).benchColdStart(options),
  [SMALL, WRITE_DOCS, ENGINE, new Option('--function <names...>', 'which functions to measure, besides the bare SDK')],
);

const PARTS = ['writers', 'compared', 'sizes'] as const;

bench(
  'pages',
  'pages of lists up to ten million records, against the usual ways, and many writers at once',
  async (options) => (await import('./pages/bench.ts')).benchPages(options),
  [SMALL, WRITE_DOCS, ENGINE, new Option('--part <names...>', 'what to measure').choices(PARTS).default(PARTS)],
);

bench('data-model', 'what every operation asks of the table, what that costs and may cost', async () =>
  (await import('./data-model.ts')).benchDataModel(),
);

bench(
  'cost',
  'what a million requests and a month cost, at AWS’s list prices',
  async (options) => (await import('./cost/bench.ts')).benchCost(options),
  [WRITE_DOCS],
);

bench(
  'batch',
  'CPU time of a creation in a batch of 200, against the same one alone, and calls of the table',
  async () => (await import('./batch.ts')).benchBatch(),
);

bench(
  'deliveries',
  'events a second of deliveries to webhook endpoints, against the simplest worker, and what an event costs',
  async (options) => (await import('./deliveries.ts')).benchDeliveries(options),
  [SMALL, WRITE_DOCS, EXACT_ENGINE],
);

bench(
  'tenants',
  'what a flood of one tenant does to ten thousand others',
  async (options) => (await import('./tenants/bench.ts')).benchTenants(options),
  [SMALL, WRITE_DOCS],
);

bench('reference', 'pages of the reference in Chromium: CPU until idle, and the heading on a slow phone', async () =>
  (await import('./reference.ts')).benchReference(),
);

bench('check', 'whether the benchmarks run, as briefly as they can be run', async () =>
  (await import('./check.ts')).checkBenches(),
);

await program.parseAsync();
