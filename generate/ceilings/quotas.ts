/** What AWS allows, a second. */
export const AWS_QUOTAS = {
  /**
   * Of a partition of DynamoDB. All items of a partition key are in one, until DynamoDB splits it between two sort keys.
   * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
   */
  writeUnits: 1_000,
  readUnits: 3_000,
  /**
   * Signatures with elliptic curve keys, of an account and region.
   * https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html
   */
  signatures: 1_000,
} as const;
