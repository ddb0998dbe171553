/** A command cannot do its work; the message is a sentence with the reason. */
export class OperatorProblem extends Error {
  override readonly name = 'OperatorProblem';
}

/** Errors whose message is a sentence for the operator. */
const ONE_SENTENCE = new Set(['OperatorProblem', 'SetupError']);

/** An error in one line. */
export function errorSentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (ONE_SENTENCE.has(error.name)) return error.message;
  switch (error.name) {
    case 'ResourceNotFoundException':
      return `There is no table ${process.env.TABLE_NAME}.`;
    case 'AccessDeniedException':
    case 'AccessDenied':
      return `AWS does not allow it: ${error.message}`;
    case 'CredentialsProviderError':
      return 'There are no AWS credentials: log in (aws sso login), or set AWS_PROFILE.';
    case 'StaleRead':
      return `Not done, because ${error.message}: run it again.`;
    case 'TableUnavailable':
      return `The table did not answer: ${causeOf(error)}.`;
    default:
      return String(error);
  }
}

const causeOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message);
