/** The embedded DynamoDB cannot start; the message is one sentence that says what to do about it. */
export class EmbeddedDynamoDbError extends Error {
  override readonly name = 'EmbeddedDynamoDbError';
}

/** Another process has the data directory. */
export class DirectoryInUse extends EmbeddedDynamoDbError {}
