import { startDynamoDb } from '#local-dynamodb';
import { commandLine, positiveNumber, seedNumber, wholeNumberOption } from '../../local/terminal/command-line.ts';
import { showProgress } from '../../local/terminal/progress.ts';
import { Fleet } from './fleet.ts';
import { CLOCKS, noTally, play } from './run.ts';

/** `npm run soak -- --minutes 5 --seed 1`: random histories, one after the other, for as long as asked. */

const { minutes, seed, runs, steps } = commandLine('soak')
  .description(
    'Several servers, wrong clocks, a bad network, paused and killed processes: whether each request has its effect once.',
  )
  .option('--minutes <n>', 'how long', positiveNumber, 1)
  .option('--runs <n>', 'at least so many histories', wholeNumberOption(), 1)
  .option('--steps <n>', 'steps of each client in a history', wholeNumberOption(), 40)
  .option('--seed <n>', 'of the first history; the next one has the next seed', seedNumber, Date.now() % 2 ** 31)
  .parse()
  .opts<{ minutes: number; seed: number; runs: number; steps: number }>();

const dynamoDb = await startDynamoDb({ dataDir: ':memory:' });
const fleet = await Fleet.start(dynamoDb.endpoint, CLOCKS);
const tally = noTally();
const begun = Date.now();
const seconds = (): number => Math.round((Date.now() - begun) / 1000);
console.log(`seed ${seed}, on ${dynamoDb.engine}`);
const progress = showProgress(() => `${tally.histories} histories, ${tally.requests} requests, ${seconds()} s`);
try {
  for (let run = 0; Date.now() - begun < minutes * 60_000 || run < runs; run++) {
    await play(fleet, seed + run, steps, tally);
  }
  progress.stop();
  const { histories, requests, done, refused, unknown, faults } = tally;
  console.log(
    `${histories} histories in ${seconds()} s: ${requests} requests, ${done} done, ${refused} refused, ${unknown} without an answer; ` +
      `${faults} calls of DynamoDB lost, late, repeated, refused or answered as before. Nothing lost, nothing twice.`,
  );
} catch (error) {
  progress.stop();
  console.error(error instanceof Error && error.message.startsWith('seed') ? error.message : error);
  process.exitCode = 1;
} finally {
  await fleet.close();
  await dynamoDb.stop();
}
process.exit();
