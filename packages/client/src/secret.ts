/**
 * The API does not show a secret twice: the response repeats an earlier one under its `Idempotency-Key`. Where that one is
 * lost, `rotateSecret(error.id, {})` of `custodia.integrations` or `custodia.webhookEndpoints` makes another.
 */
export class SecretNotShownError extends Error {
  override readonly name = 'SecretNotShownError';
  /** Of the integration or webhook endpoint. */
  readonly id: string;

  constructor(id: string) {
    super(`The secret of ${id} was shown in the first response to this Idempotency-Key, and is not shown again`);
    this.id = id;
  }
}
