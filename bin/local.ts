import { logger } from '#telemetry';
import { readLogLevel, readSettings } from '../local/settings.ts';
import { stacksOf } from '../local/stacks.ts';
import { type LocalApi, startLocalApi } from '../local/start.ts';
import { divertLogger, terminalLog } from '../local/terminal/log.ts';
import { print, printError } from '../local/terminal/output.ts';
import { welcome } from '../local/welcome.ts';
import { SetupError } from '../shared/errors.ts';

/** `npm start`: the whole API on this machine, until Ctrl-C. `local/settings.ts` lists the settings. */

/** Exit codes by signal: the shell learns of a Ctrl-C; `SIGTERM` is an orderly stop. */
const EXIT_CODES = { SIGINT: 130, SIGHUP: 129, SIGTERM: 0 } as const;

let api: LocalApi | undefined;
let isStopping = false;

for (const [signal, code] of Object.entries(EXIT_CODES)) process.on(signal, () => void stop(code));
// The reader of the output may end first (`npm start | head`); that is no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const log = terminalLog(readLogLevel(process.env));
  divertLogger(logger, log);
  api = await startLocalApi(readSettings(process.env), { log, onFailure: fail });
  print(...welcome(api, performance.now() / 1000).split('\n'));
} catch (error) {
  say(error);
  process.exitCode = 1;
}

/** Reports a mistake of the user in one sentence, and any other error, which is a defect of ours, with its stack. */
function say(error: unknown): void {
  printError(...(error instanceof SetupError ? [error.message] : stacksOf(error).split('\n')));
}

/** Reports an error that cannot be recovered from, and exits. */
function fail(error: unknown): void {
  say(error);
  void stop(1);
}

/** A second signal, or one before the start is complete, ends at once: the DynamoDB ends with this process anyway. */
async function stop(code: number): Promise<void> {
  if (!isStopping) {
    isStopping = true;
    await api?.close();
  }
  const dropped = api?.unfinished() ?? 0;
  if (dropped > 0) printError(`Requests that arrived and got no response: ${dropped}.`);
  process.exit(dropped > 0 ? 1 : code);
}
