import { CommanderError } from 'commander';
import { EXIT } from '../operator/answer.ts';
import { sentenceOf } from '../operator/problem.ts';
import { operatorProgram } from '../operator/program.ts';

/**
 * The operator's command line. On a deployed stack each command works under a role of the stack, which the operator's own AWS credentials must be
 * allowed to assume. `docs/operations.md` describes the commands.
 *
 *     npx cdk deploy --outputs-file outputs.json
 *     npx custodia create-platform-key --app-code ops --outputs outputs.json
 *     npx custodia verify --org <id> --repair --outputs outputs.json
 */

// A reader of the output may go (`custodia export | head`): the rest is not wanted.
process.stdout.on('error', () => process.exit(EXIT.trouble));

try {
  await operatorProgram().parseAsync();
} catch (error) {
  const hasSaidWhy = error instanceof CommanderError;
  if (!hasSaidWhy) console.error(sentenceOf(error));
  process.exitCode = hasSaidWhy && error.exitCode === 0 ? EXIT.done : EXIT.trouble;
}
