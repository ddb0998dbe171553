import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Option } from 'commander';
import { commandLine } from '../local/terminal/command-line.ts';
import { installOwnPackages } from '../local/terminal/own-packages.ts';
import { CONTENDER_NAMES, OPERATION_NAMES } from './requests/names.ts';

/** Commands that need the packages of `bench/package.json`: the libraries that the service is compared with. */
const WITH_PEERS = ['check', 'local', 'pages', 'requests'];

/** `npm run bench -- pages --help` */
const program = commandLine('bench')
  .description('Measures what the documentation claims.')
  .hook('preAction', (_, command) => {
    if (WITH_PEERS.includes(command.name())) installOwnPackages(import.meta.dirname);
  });

program
  .command('pages')
  .description('any page of a long list and its creates: counted lists against the usual ways')
  .option('--small', 'a few thousand records instead of up to ten million: a few seconds', false)
  .addOption(
    new Option('--part <names...>', 'what to measure: against the usual ways, or up to ten million records')
      .choices(['ways', 'sizes'])
      .default(['ways', 'sizes']),
  )
  .option('--plot', 'draw docs/pages.svg and docs/write-units.svg', false)
  .option('--write-docs', 'put the figures into docs/counted-lists.md', false)
  .addOption(new Option('--engine <name>', 'the embedded DynamoDB').choices(['java', 'dynoxide']))
  .action(async (options) => {
    const { benchPages } = await import('./pages/bench.ts');
    process.exitCode = (await benchPages(options)) ? 0 : 1;
  });

program
  .command('data-model')
  .description('what every operation asks of the table, what that costs and may cost')
  .addOption(new Option('--engine <name>', 'the embedded DynamoDB').choices(['java', 'dynoxide']).default('dynoxide'))
  .action(async (options) => {
    const { benchDataModel } = await import('./data-model/bench.ts');
    process.exitCode = (await benchDataModel(options)) ? 0 : 1;
  });

program
  .command('cost')
  .description('what a million requests and a month cost, at AWS’s list prices')
  .option('--write-docs', 'put the figures into docs/cost.md', false)
  .action(async (options) => {
    const { benchCost } = await import('./cost/bench.ts');
    await benchCost(options);
  });

program
  .command('authorizer')
  .description('what a check of the caller adds to a request where the gateway keeps no answer of the authorizer')
  .addOption(new Option('--engine <name>', 'the embedded DynamoDB').choices(['java', 'dynoxide']).default('dynoxide'))
  .action(async ({ engine }) => {
    const { benchAuthorizer } = await import('./authorizer/bench.ts');
    await benchAuthorizer(engine);
  });

program
  .command('json')
  .description('parsing the JSON that is most work for its length: middy’s parser, ours, and JSON.parse')
  .action(async () => {
    const { benchJson } = await import('./json/bench.ts');
    benchJson();
  });

program
  .command('requests')
  .description('CPU time of requests: ours against the document client alone and against how others build such an API')
  .option('--small', 'fewer rounds: about a minute', false)
  .option('--write-docs', 'put the figures into docs/performance.md, and draw docs/requests.svg', false)
  .addOption(new Option('--against <names...>', 'whom to measure besides').choices(CONTENDER_NAMES))
  .addOption(new Option('--operation <names...>', 'what to measure').choices(OPERATION_NAMES))
  .option(
    '--profile <directory>',
    'write CPU profiles of ours and of middy + zod instead of measuring, and print what they say',
  )
  .addOption(
    new Option('--engine <name>', 'the embedded DynamoDB that answers are recorded from').choices(['java', 'dynoxide']),
  )
  .action(async (options) => {
    const { benchRequests } = await import('./requests/bench.ts');
    process.exitCode = (await benchRequests(options)) ? 0 : 1;
  });

program
  .command('batch')
  .description('CPU time of a creation in a batch of 200, against the same one alone, and calls of the table')
  .action(async () => {
    const { benchBatch } = await import('./batch/bench.ts');
    process.exitCode = (await benchBatch()) ? 0 : 1;
  });

program
  .command('cold-start')
  .description('import and first request of every function in fresh processes, against the bare SDK')
  .option('--small', 'fewer rounds', false)
  .option('--write-docs', 'put the figures into docs/performance.md, and draw docs/cold-start.svg', false)
  .option('--profile <directory>', 'write CPU profiles instead of measuring, and print what they say')
  .option('--function <names...>', 'which functions to measure, besides the bare SDK, or to profile')
  .addOption(
    new Option('--engine <name>', 'the embedded DynamoDB that answers are recorded from').choices(['java', 'dynoxide']),
  )
  .action(async (options) => {
    const { benchColdStart } = await import('./cold-start/bench.ts');
    process.exitCode = (await benchColdStart(options)) ? 0 : 1;
  });

program
  .command('local')
  .description('requests a second of npm start, against fastify and ElectroDB on the same DynamoDB')
  .option('--small', 'fewer and shorter rounds: a minute', false)
  .option('--write-docs', 'put the figures into docs/performance.md, and draw docs/local-<engine>.svg', false)
  .addOption(new Option('--engine <name>', 'the embedded DynamoDB').choices(['java', 'dynoxide']))
  .action(async (options) => {
    const { benchLocal } = await import('./local/bench.ts');
    process.exitCode = (await benchLocal(options)) ? 0 : 1;
  });

program
  .command('tenants')
  .description('many tenants: calls of STS, CPU time and memory of a container, and what a flood of one does to others')
  .option('--small', 'fewer rounds, and a minute of a flood instead of three', false)
  .option(
    '--write-docs',
    'put the figures into docs/performance.md and docs/operations.md, and draw docs/tenants.svg',
    false,
  )
  .action(async (options) => {
    const { benchTenants } = await import('./tenants/bench.ts');
    process.exitCode = (await benchTenants(options)) ? 0 : 1;
  });

program
  .command('deliveries')
  .description(
    'deliveries to webhook endpoints: under everything that goes wrong, in a flood, and how many events a second',
  )
  .option('--small', 'shorter: about a minute', false)
  .addOption(new Option('--engine <name>', 'the embedded DynamoDB').choices(['java', 'dynoxide']).default('dynoxide'))
  .addOption(new Option('--seed <number>', 'of the first run').argParser(Number).default(1))
  .option('--write-docs', 'put the figures into docs/performance.md', false)
  .action(async (options) => {
    const { benchDeliveries } = await import('./deliveries/bench.ts');
    process.exitCode = (await benchDeliveries(options)) ? 0 : 1;
  });

program
  .command('check')
  .description('types of the benchmarks, for which `npm run check` has no packages, and whether they run')
  .action(async () => {
    const root = join(import.meta.dirname, '..');
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { status } = spawnSync(process.execPath, [compiler, '-p', 'bench'], { cwd: root, stdio: 'inherit' });
    process.exitCode = status ?? 1;
    if (status === 0) await (await import('./check.ts')).checkBenches();
  });

await program.parseAsync();
