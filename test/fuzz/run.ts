import { IN_MEMORY } from '../../local/settings.ts';
import { startLocalApi } from '../../local/start.ts';
import { commandLine, positiveNumber, seedNumber, wholeNumberOption } from '../../local/terminal/command-line.ts';
import { showProgress } from '../../local/terminal/progress.ts';
import { described } from './document.ts';
import { fuzz } from './fuzz.ts';

/** `npm run fuzz`: the API in memory, and generated requests against it until it breaks or the time is over. */

const { seconds, requests, seed } = commandLine('fuzz')
  .description('Sends generated requests to the API and checks every answer against openapi.json.')
  .option('--seconds <n>', 'how long at most', positiveNumber, 300)
  .option('--requests <n>', 'how many at most', wholeNumberOption(), 20_000)
  .option('--seed <n>', 'what to begin with', seedNumber, Math.floor(Math.random() * 2 ** 31))
  .parse()
  .opts<{ seconds: number; requests: number; seed: number }>();

console.log(`seed ${seed}`);
const api = await startLocalApi({
  port: 0,
  host: '127.0.0.1',
  dataDir: IN_MEMORY,
  dynamoDbEndpoint: undefined,
  platformSecret: undefined,
});
let state = 'starting';
const progress = showProgress(() => state);
try {
  const start = performance.now();
  const passed = (): number => Math.round((performance.now() - start) / 1000);
  const report = await fuzz({
    url: api.url,
    platform: api.platform,
    seed,
    maxRequests: requests,
    maxSeconds: seconds,
    onProgress: (sent, findings) => {
      state = `${sent} of ${requests} requests, ${findings} findings, ${passed()} of ${seconds} s`;
    },
  });
  progress.stop();
  for (const { index, why, request } of report.findings) console.log(`\n#${index} ${why}\n  ${request}`);
  const statuses = [...report.byStatus].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(`\n${report.sent} requests in ${passed()} s; ${statuses.join(', ')}`);
  const never = described
    .filter(({ operationId }) => !report.succeeded.has(operationId))
    .map(({ operationId }) => operationId);
  console.log(
    `operations that succeeded: ${report.succeeded.size} of ${described.length}${never.length === 0 ? '' : `; never: ${never.join(', ')}`}`,
  );
  const isSound = report.findings.length === 0 && report.sent > 0;
  console.log(isSound ? 'nothing found' : `${report.findings.length} findings, seed ${seed}`);
  process.exitCode = isSound ? 0 : 1;
} finally {
  progress.stop();
  await api.close();
}
