/**
 * The API does not show a secret twice: the response repeats an earlier one under its `Idempotency-Key`. Where that one is
 * lost, `custodia.integrations.rotateSecret(error.id, {})` makes another.
 */
export class SecretNotShownError extends Error {
  override readonly name = 'SecretNotShownError';
  /** Of the integration. */
  readonly id: string;

  constructor(id: string) {
    super(
      `The secret of integration ${id} was shown in the first response to this Idempotency-Key, and is not shown again`,
    );
    this.id = id;
  }
}
