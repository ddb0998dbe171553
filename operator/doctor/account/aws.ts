import { parseXML } from '@aws-sdk/xml-builder';
import { type CallerClient, serviceOf } from '#aws';
import { jsonErrorIn } from '../../aws.ts';

/**
 * Reads of the account, with the credentials of the person who runs the command. (Other commands call AWS under a role
 * of the stage, as the table's client does.) Each function throws a ServiceException, or a connection error.
 */
export interface Account {
  /** AWS Lambda: https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
  readonly lambda: (path: string) => Promise<unknown>;
  /** API Gateway: https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html */
  readonly gateway: (path: string) => Promise<unknown>;
  /** CloudTrail: https://docs.aws.amazon.com/awscloudtrail/latest/APIReference/API_Operations.html */
  readonly cloudTrail: (action: string, input: object) => Promise<unknown>;
  /** CloudFormation: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html */
  readonly cloudFormation: (action: string, input: Readonly<Record<string, string>>) => Promise<unknown>;
}

const JSON_SERVICE = { contentType: 'application/x-amz-json-1.1', errorIn: jsonErrorIn } as const;

export function accountOf(client: CallerClient): Account {
  const reading = (name: 'lambda' | 'apigateway') => {
    const call = serviceOf(client, { name, ...JSON_SERVICE });
    return async (path: string): Promise<unknown> => JSON.parse(await call({ get: { path, query: {} } }));
  };
  const trails = serviceOf(client, { name: 'cloudtrail', ...JSON_SERVICE });
  const stacks = serviceOf(client, {
    name: 'cloudformation',
    contentType: 'application/x-www-form-urlencoded',
    errorIn: (text) => {
      const { Code: name, Message: message } = parseXML(text).ErrorResponse.Error;
      return { name, message };
    },
  });
  return {
    lambda: reading('lambda'),
    gateway: reading('apigateway'),
    cloudTrail: async (action, input) =>
      JSON.parse(
        await trails({
          target: `com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.${action}`,
          body: JSON.stringify(input),
        }),
      ),
    cloudFormation: async (action, input) =>
      parseXML(
        await stacks({ body: new URLSearchParams({ Action: action, Version: '2010-05-15', ...input }).toString() }),
      )[`${action}Response`][`${action}Result`],
  };
}
