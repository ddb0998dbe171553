import './quiet.ts';
import { Command, InvalidArgumentError } from 'commander';
import { startDynamoDb } from '../../local/dynamodb/embedded.ts';
import { noCounts, soak } from './soak.ts';
import { setStage } from './stage.ts';

/** `npm run soak -- --minutes 5 --seed 1`: concurrent histories for as long as asked. */

/** Runs between two looks at the clock. */
const BATCH = 40;

const number = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError('not a number');
  return value;
};

const { minutes, seed, runs } = new Command('soak')
  .description('Many senders, few events, a bad network: whether each event has its effect once.')
  .option('--minutes <n>', 'how long', number, 1)
  .option('--runs <n>', 'at least so many runs', number, 0)
  .option('--seed <n>', 'to make the same plans again', number, Date.now() % 2 ** 31)
  .parse()
  .opts<{ minutes: number; seed: number; runs: number }>();

const dynamoDb = await startDynamoDb({ dataDir: ':memory:' });
const clear = await setStage(dynamoDb.endpoint);
const counts = noCounts();
const begun = Date.now();
console.log(`seed ${seed}, on ${dynamoDb.engine}`);
try {
  for (let batch = 0; Date.now() - begun < minutes * 60_000 || counts.runs < runs; batch++) {
    await soak(seed + batch, BATCH, counts);
  }
  const { ok, fail, unknown } = counts;
  console.log(
    `${counts.runs} runs in ${Math.round((Date.now() - begun) / 1000)} s: ${counts.requests} requests with ${counts.faults} planned faults; ` +
      `${ok} done, ${fail} told that it was done, ${unknown} left without an answer. Nothing lost, nothing twice.`,
  );
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await clear();
  await dynamoDb.stop();
}
process.exit();
