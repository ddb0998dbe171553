import type { Command } from 'commander';
import * as z from 'zod';
import { wholeNumberOption } from '../../local/terminal/command-line.ts';
import { jsonText } from '../../local/terminal/printable.ts';
import { linesOfRequest, type RequestLine } from '../logs/request-lines.ts';
import { OperatorProblem } from '../problem.ts';
import { EXIT, printResult, type ResultOptions, withExamples, withJson } from '../result.ts';
import { openStage, type TargetOptions, withTarget } from '../target.ts';

/** `logs` works under the stack's support role. */

interface LogsOptions extends TargetOptions, ResultOptions {
  readonly requestId: string;
  readonly hours: number;
}

const HOUR_MS = 3_600_000;
/** Ten years, the longest time that logs are kept. */
const MOST_HOURS = 87_600;

export function declareLogs(program: Command): void {
  const command = program
    .command('logs')
    .description('Find all lines of a request in the logs of the gateway and of all functions, Lambda’s own too')
    .requiredOption('--request-id <id>', 'id of the request: callers have it from X-Request-Id')
    .option('--hours <number>', 'how far back to look', wholeNumberOption({ to: MOST_HOURS }), 24);
  withJson(withTarget(command, 'SupportRoleArn')).action(logs);
  withExamples(
    command,
    'logs --request-id 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90 --outputs outputs.json',
    'logs --request-id 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90 --hours 720 --json --outputs outputs.json',
  );
}

async function logs(options: LogsOptions): Promise<void> {
  if (options.local)
    throw new OperatorProblem('npm start keeps no logs: its lines are in the terminal that it runs in.');
  const id = requestIdIn(options.requestId);
  const { name } = await openStage(options, 'SupportRoleArn');
  const until = Date.now();
  const lines = await linesOfRequest(name, id, { from: until - options.hours * HOUR_MS, until });
  printResult(options, { request_id: id, lines }, [
    ...lines.map(textOf),
    lines.length === 0
      ? `No line of ${id} in the last ${options.hours} hours: --hours looks further back. New lines take a minute to be found.`
      : `Lines: ${lines.length}.`,
  ]);
  if (lines.length === 0) process.exitCode = EXIT.found;
}

/** @throws OperatorProblem for a text that is no request id: it could change the query */
function requestIdIn(text: string): string {
  const id = z.guid().toLowerCase().safeParse(text).data;
  if (id === undefined) throw new OperatorProblem('--request-id must be the id of a request, a UUID.');
  return id;
}

const textOf = ({ time, log, line }: RequestLine): string =>
  [time, log, typeof line === 'string' ? line : jsonText(line, 0)].join('  ');
