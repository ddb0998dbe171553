import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { bodyOf, failure } from './faults.ts';

/** What DynamoDB says of an empty text in the condition of a query for keys, which dynoxide takes. */
export function refusalOfEmptyKey(request: Parameters<NodeHttpHandler['handle']>[0]) {
  const isQuery = request.headers['x-amz-target']?.endsWith('.Query') === true;
  return isQuery && hasEmptyKey(bodyOf(request)) ? failure(400, TYPE, MESSAGE) : undefined;
}

const TYPE = 'com.amazon.coral.validate#ValidationException';
const MESSAGE = 'One or more parameter values are not valid. A key attribute cannot contain an empty string value.';

function hasEmptyKey(body: string): boolean {
  if (!body.includes('{"S":""}')) return false;
  const { KeyConditionExpression: condition, ExpressionAttributeValues: values = {} } = JSON.parse(body);
  const named = String(condition).split(/[^\w:]/);
  return Object.entries<{ readonly S?: string }>(values).some(([name, { S }]) => S === '' && named.includes(name));
}
