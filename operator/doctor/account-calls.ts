import { type AwsService, type CallerClient, type CallService, serviceOf } from '@custodia/lean-dynamodb';
import type * as z from 'zod';
import { jsonErrorIn } from '../aws.ts';
import { readResponse } from '../response.ts';

/**
 * Reads of the account, with the credentials of the person who runs the command. (Other commands call AWS under a role
 * of the stage, as the table's client does.) Each function returns the members that a schema names, and throws a
 * ServiceException, a connection error, or OperatorProblem for a response without them.
 */
export interface Account {
  /** AWS Lambda: https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
  readonly lambda: Read;
  /** API Gateway: https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html */
  readonly gateway: Read;
  /** CloudTrail: https://docs.aws.amazon.com/awscloudtrail/latest/APIReference/API_Operations.html */
  readonly cloudTrail: <T>(action: string, input: object, schema: z.ZodType<T>) => Promise<T>;
}

type Read = <T>(path: string, schema: z.ZodType<T>) => Promise<T>;

const JSON_SERVICE = { contentType: 'application/x-amz-json-1.1', errorIn: jsonErrorIn } as const;
export function accountOf(client: CallerClient): Account {
  const caller = (name: AwsService['name']) => {
    const call = serviceOf(client, { name, ...JSON_SERVICE });
    return async <T>(operation: string, request: Parameters<CallService>[0], schema: z.ZodType<T>): Promise<T> =>
      readResponse(`${name} ${operation}`, schema, await call(request));
  };
  const reading = (name: 'lambda' | 'apigateway'): Read => {
    const call = caller(name);
    return (path, schema) => call(path, { get: { path, query: {} } }, schema);
  };
  const trails = caller('cloudtrail');
  return {
    lambda: reading('lambda'),
    gateway: reading('apigateway'),
    cloudTrail: (action, input, schema) => {
      const target = `com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.${action}`;
      return trails(action, { target, body: JSON.stringify(input) }, schema);
    },
  };
}
