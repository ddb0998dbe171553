import { Command, Option } from 'commander';
import { IN_MEMORY } from '../../local/settings.ts';
import { startLocalApi } from '../../local/start.ts';
import { described } from './document.ts';
import { fuzz } from './fuzz.ts';

/** `npm run fuzz`: the API in memory, and generated requests against it until it breaks or the time is over. */

const whole = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new Error(`not a whole number: ${text}`);
  return Number(text);
};

const { seconds, requests, seed } = new Command('fuzz')
  .description('Sends generated requests to the API and checks every answer against openapi.json.')
  .addOption(new Option('--seconds <n>', 'how long').default(300).argParser(whole))
  .addOption(new Option('--requests <n>', 'how many at most').default(20_000).argParser(whole))
  .addOption(
    new Option('--seed <n>', 'what to begin with').default(Math.floor(Math.random() * 2 ** 31)).argParser(whole),
  )
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
try {
  const start = performance.now();
  const report = await fuzz({ url: api.url, platform: api.platform, seed, maxRequests: requests, maxSeconds: seconds });
  for (const { index, why, request } of report.findings) console.log(`\n#${index} ${why}\n  ${request}`);
  const statuses = [...report.byStatus].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(
    `\n${report.sent} requests in ${Math.round((performance.now() - start) / 1000)} s; ${statuses.join(', ')}`,
  );
  const never = described
    .filter(({ operationId }) => !report.succeeded.has(operationId))
    .map(({ operationId }) => operationId);
  console.log(
    `operations that succeeded: ${report.succeeded.size} of ${described.length}${never.length === 0 ? '' : `; never: ${never.join(', ')}`}`,
  );
  console.log(report.findings.length === 0 ? 'nothing found' : `${report.findings.length} findings, seed ${seed}`);
  process.exitCode = report.findings.length === 0 ? 0 : 1;
} finally {
  await api.close();
}
