const DEADLINE_MS = 10_000;

/**
 * Asks for the tables, which makes the engine open its database.
 * @throws Error when it answers with an error, or not within ten seconds.
 */
export const probe = async (endpoint: string): Promise<void> => {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': 'DynamoDB_20120810.ListTables',
      'X-Amz-Date': '20250101T000000Z',
      // Neither engine checks the signature, but both want one that is well formed.
      Authorization:
        'AWS4-HMAC-SHA256 Credential=probe/20250101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: '{}',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${answer}`);
};
