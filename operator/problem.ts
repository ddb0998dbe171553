/** A command cannot do what was asked; the message is a sentence that says why. */
export class OperatorProblem extends Error {
  override readonly name = 'OperatorProblem';
}
