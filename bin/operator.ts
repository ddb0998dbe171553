import { CommanderError } from 'commander';
import { inOneLine } from '../local/terminal/command-line.ts';
import { sayFailure } from '../local/terminal/output.ts';
import { EXIT } from '../operator/command.ts';
import { errorSentenceOf } from '../operator/problem.ts';
import { operatorProgram } from '../operator/program.ts';

/**
 * The operator's command line. On a deployed stack each command works under a role of the stack. The operator's own AWS
 * credentials must be allowed to assume it. `docs/operations.md` describes the commands.
 *
 *     npx cdk deploy --outputs-file outputs.json
 *     npx custodia create-platform-key --app-code ops --outputs outputs.json
 *     npx custodia verify --org <id> --repair --outputs outputs.json
 */

// The reader of the output may end first (`custodia export | head`): it does not want the rest.
process.stdout.on('error', () => process.exit(EXIT.trouble));

/** With `--json`, errors are JSON as well, also errors in the options. */
const isJson = process.argv.includes('--json');
try {
  await operatorProgram(isJson).parseAsync();
} catch (error) {
  const isOfCommander = error instanceof CommanderError;
  const isWell = isOfCommander && error.exitCode === 0;
  if (!isOfCommander) sayFailure(errorSentenceOf(error), isJson);
  else if (isJson && !isWell) sayFailure(inOneLine(error.message).replace(/^error: /, ''), isJson);
  process.exitCode = isWell ? EXIT.done : EXIT.trouble;
}
