import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandLine, positiveNumber } from '../local/terminal/command-line.ts';
import { printError } from '../local/terminal/output.ts';
import { EXIT } from '../operator/command.ts';
import { errorSentenceOf } from '../operator/problem.ts';
import { prepareTraffic } from '../operator/traffic.ts';

/**
 * `npm run traffic`: runs a command, such as `cdk deploy`, and meanwhile sends requests to a stage, so that a canary
 * deployment has traffic. It reads the secret of its key from `CANARY_SECRET`: other users of the machine can see
 * command lines.
 */

interface Options {
  readonly url?: string;
  readonly appCode: string;
  readonly rate: number;
  readonly minutes: number;
}

const SECRET = 'CANARY_SECRET';
const program = commandLine('traffic')
  .description('Runs a command, and sends requests to a stage until it has ended.')
  .argument('<command...>', 'what to run, behind --: npx cdk deploy …')
  .option('--url <address>', 'where the API answers, in front of /api/v1; without it the command is run alone')
  .option('--app-code <code>', `key of an organization for nothing else; its secret is read from ${SECRET}`, 'canary')
  .option('--rate <n>', 'requests a second', positiveNumber, 8)
  .option('--minutes <n>', 'the longest that it sends requests', positiveNumber, 60)
  .parse();
const { url, appCode, rate, minutes } = program.opts<Options>();
const secret = process.env[SECRET];
delete process.env[SECRET];

const ending = new AbortController();
const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(minutes * 60_000)]);
try {
  const send = await traffic();
  const running = run(program.args).finally(() => ending.abort());
  const [code, tally] = await Promise.all([running, send?.()]);
  if (tally !== undefined) printError(...tally.lines());
  process.exitCode = code === EXIT.done && tally?.isBad ? EXIT.found : code;
} catch (error) {
  printError(errorSentenceOf(error));
  process.exitCode = EXIT.trouble;
}

/** The sender of requests; undefined where no stage works. */
async function traffic(): ReturnType<typeof prepareTraffic> {
  if (!url || !secret) {
    printError(`No requests are sent, for want of --url or ${SECRET}.`);
    return undefined;
  }
  const send = await prepareTraffic({ base: url, appCode, secret, rate, signal });
  if (send === undefined) printError('No requests are sent, for the stage does not answer as it should.');
  return send;
}

/** Runs a command. @returns its exit code */
async function run([command = '', ...args]: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  for (const each of ['SIGINT', 'SIGTERM'] as const) process.on(each, () => child.kill(each));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? EXIT.trouble;
}
