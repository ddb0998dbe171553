import { Command, CommanderError } from 'commander';
import { declareCreatePlatformKey } from '../operator/create-platform-key.ts';
import { declareVerify } from '../operator/verify.ts';

/**
 * The operator's command line. On a deployed stack each command works under a role of the stack, which the operator's own AWS credentials must be
 * allowed to assume.
 *
 *     npx cdk deploy --outputs-file outputs.json
 *     npx node bin/operator.ts create-platform-key --app-code ops --outputs outputs.json
 *     npx node bin/operator.ts verify --org <id> --repair --outputs outputs.json
 */

/** Exit code of a command that could not be carried out; as with `grep` and `diff`, 1 is an answer. */
const TROUBLE = 2;

/** Errors whose message is a sentence that says what to do. */
const ONE_SENTENCE = new Set(['OperatorProblem', 'LocalApiError', 'EmbeddedDynamoDbError']);

const program = new Command('operator').description("Custodia's operator commands").exitOverride();
declareCreatePlatformKey(program);
declareVerify(program);

try {
  await program.parseAsync();
} catch (error) {
  const hasSaidWhy = error instanceof CommanderError;
  if (!hasSaidWhy)
    console.error(error instanceof Error && ONE_SENTENCE.has(error.name) ? error.message : String(error));
  process.exitCode = hasSaidWhy && error.exitCode === 0 ? 0 : TROUBLE;
}
