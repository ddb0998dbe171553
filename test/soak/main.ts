import './quiet.ts';
import { startDynamoDb } from '../../local/dynamodb/embedded.ts';
import { commandLine, positiveNumber, seedNumber, wholeNumber } from '../../local/terminal/command-line.ts';
import { showProgress } from '../../local/terminal/progress.ts';
import { noCounts, soak } from './soak.ts';
import { setStage } from './stage.ts';

/** `npm run soak -- --minutes 5 --seed 1`: concurrent histories for as long as asked. */

/** Runs between two looks at the clock. */
const BATCH = 40;

const { minutes, seed, runs } = commandLine('soak')
  .description('Many senders, few events, a bad network: whether each event has its effect once.')
  .option('--minutes <n>', 'how long', positiveNumber, 1)
  .option('--runs <n>', 'at least so many runs', wholeNumber(), 1)
  .option('--seed <n>', 'to make the same plans again', seedNumber, Date.now() % 2 ** 31)
  .parse()
  .opts<{ minutes: number; seed: number; runs: number }>();

const dynamoDb = await startDynamoDb({ dataDir: ':memory:' });
const clear = await setStage(dynamoDb.endpoint);
const counts = noCounts();
const begun = Date.now();
const seconds = (): number => Math.round((Date.now() - begun) / 1000);
console.log(`seed ${seed}, on ${dynamoDb.engine}`);
const progress = showProgress(() => `${counts.runs} runs, ${counts.requests} requests, ${seconds()} s`);
try {
  for (let batch = 0; Date.now() - begun < minutes * 60_000 || counts.runs < runs; batch++) {
    await soak(seed + batch, BATCH, counts);
  }
  progress.stop();
  const { ok, fail, unknown } = counts;
  console.log(
    `${counts.runs} runs in ${seconds()} s: ${counts.requests} requests with ${counts.faults} planned faults; ` +
      `${ok} done, ${fail} told that it was done, ${unknown} left without an answer. Nothing lost, nothing twice.`,
  );
} catch (error) {
  progress.stop();
  console.error(error);
  process.exitCode = 1;
} finally {
  await clear();
  await dynamoDb.stop();
}
process.exit();
