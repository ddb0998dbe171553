import { parseXML } from '@aws-sdk/xml-builder';
import { type AwsService, type CallerClient, type CallService, serviceOf } from '@custodia/lean-dynamodb';
import * as z from 'zod';
import { jsonErrorIn } from '../aws.ts';
import { parseResponse, readResponse } from '../response.ts';

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
  /** CloudFormation: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html */
  readonly cloudFormation: <T>(
    action: string,
    input: Readonly<Record<string, string>>,
    schema: z.ZodType<T>,
  ) => Promise<T>;
}

type Read = <T>(path: string, schema: z.ZodType<T>) => Promise<T>;

const JSON_SERVICE = { contentType: 'application/x-amz-json-1.1', errorIn: jsonErrorIn } as const;
const CLOUD_FORMATION: AwsService = {
  name: 'cloudformation',
  contentType: 'application/x-www-form-urlencoded',
  errorIn: (text) => {
    const { Code: name, Message: message } = parseXML(text).ErrorResponse.Error;
    return { name, message };
  },
};

export function accountOf(client: CallerClient): Account {
  const caller = (service: AwsService, parse: (text: string) => unknown = JSON.parse) => {
    const call = serviceOf(client, service);
    return async <T>(operation: string, request: Parameters<CallService>[0], schema: z.ZodType<T>): Promise<T> => {
      const what = `${service.name} ${operation}`;
      return readResponse(what, schema, parseResponse(what, parse, await call(request)));
    };
  };
  const reading = (name: 'lambda' | 'apigateway'): Read => {
    const call = caller({ name, ...JSON_SERVICE });
    return (path, schema) => call(path, { get: { path, query: {} } }, schema);
  };
  const trails = caller({ name: 'cloudtrail', ...JSON_SERVICE });
  const stacks = caller(CLOUD_FORMATION, parseXML);
  return {
    lambda: reading('lambda'),
    gateway: reading('apigateway'),
    cloudTrail: (action, input, schema) => {
      const target = `com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.${action}`;
      return trails(action, { target, body: JSON.stringify(input) }, schema);
    },
    cloudFormation: async (action, input, schema) => {
      const body = new URLSearchParams({ Action: action, Version: '2010-05-15', ...input }).toString();
      const wrapped = z.object({ [`${action}Response`]: z.object({ [`${action}Result`]: schema }) });
      return (await stacks(action, { body }, wrapped))[`${action}Response`]?.[`${action}Result`] as z.infer<
        typeof schema
      >;
    },
  };
}
