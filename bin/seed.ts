import { InvalidArgumentError } from 'commander';
import { isLoopback } from '../local/gateway/hosts.ts';
import { SeedError, type Seeded, seed } from '../local/seed.ts';
import { addressOf } from '../local/settings.ts';
import { stacksOf } from '../local/stacks.ts';
import { commandLine } from '../local/terminal/command-line.ts';
import { print, printError } from '../local/terminal/output.ts';
import { reportProgress } from '../local/terminal/progress.ts';
import { SetupError } from '../shared/errors.ts';

/** `npm run seed`: a demo organization in the API that `npm start` runs. */

/** Demo records are for local use only. */
function localUrl(text: string): string {
  const { protocol, hostname, origin } = URL.parse(text) ?? {};
  const isLocal = isLoopback(hostname?.replace(/^\[(.*)\]$/, '$1') ?? '');
  if (!/^https?:$/.test(protocol ?? '') || !isLocal || origin === undefined) {
    throw new InvalidArgumentError('It must be an address of this machine, such as http://127.0.0.1:3000.');
  }
  return origin;
}

const { url: given } = commandLine('seed')
  .description('Fills a new demo organization with records, through the API that npm start runs.')
  .option('--url <address>', 'where the API listens (default: at HOST and PORT, as npm start does)', localUrl)
  .parse()
  .opts<{ readonly url?: string }>();

const start = performance.now();
const progress = reportProgress('registering');
try {
  const url = given ?? addressOf(process.env);
  const seeded = await seed(url, (records) => progress.report(`${records} records`));
  progress.stop();
  print(...summary(url, seeded, (performance.now() - start) / 1_000));
} catch (error) {
  progress.stop();
  const isOneSentence = error instanceof SeedError || error instanceof SetupError;
  printError(...(isOneSentence ? [error.message] : stacksOf(error).split('\n')));
  process.exitCode = 1;
}

/** What the seed created, and lines to paste into a shell. */
function summary(
  url: string,
  { orgId, appCode, secret, token, resourceId, records }: Seeded,
  seconds: number,
): string[] {
  const look = (path: string): string => `curl -sS '${url}/api/v1${path}' -H "Authorization: Bearer $TOKEN"`;
  return [
    `The organization ${orgId} has its records (${records} in ${Math.round(seconds)} s).`,
    '',
    `  app code  ${appCode}`,
    `  secret    ${secret}`,
    '',
    'Look at its clients, at open tickets, and at how one of its machines is doing (the token lasts an hour):',
    '',
    `TOKEN=${token}`,
    look('/clients?page_size=5'),
    look('/tickets?status=open&page_size=5'),
    look(`/resources/${resourceId}/history?page_size=5`),
    '',
    'npm run receive prints its events: docs/events.md shows how.',
  ];
}
