import { endpointAndKey, LOCAL_AWS } from './client.ts';

/** An engine responded with an error. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

/**
 * Calls an operation that the table's client does not have: `DynamoDBStreams_20120810.GetRecords`. No engine verifies
 * the signature, but each requires a well-formed one.
 * @param address with its access key, where it requires one
 * @throws EngineError, or what `fetch` throws
 */
export async function callEngine(address: string, target: string, body: object, signal: AbortSignal): Promise<unknown> {
  const { endpoint, accessKeyId } = endpointAndKey(address);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': target,
      'X-Amz-Date': '20250101T000000Z',
      Authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20250101/${LOCAL_AWS.region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(body),
    signal,
  });
  const reply = await response.text();
  if (!response.ok) throw new EngineError(`${response.status} ${reply}`);
  return JSON.parse(reply);
}
