import { type AwsService, serviceOf } from '@custodia/lean-dynamodb';
import type * as z from 'zod';
import { environmentTable } from '#table';
import { readResponse } from './response.ts';

/**
 * Calls AWS services that commands need only once or twice, without a client package for each
 * (`docs/decisions/0122-lean-client.md`).
 */

/** A call of a service. */
export type ServiceRequest = Parameters<ReturnType<typeof serviceOf>>[0];

/** @throws SyntaxError for a text that is no JSON */
export const jsonErrorIn: AwsService['errorIn'] = (text) => {
  const { __type: type, Code, message, Message } = JSON.parse(text);
  return { name: type?.slice(type.lastIndexOf('#') + 1) ?? Code, message: message ?? Message };
};

const serviceNamed = (name: AwsService['name'], contentType: string): AwsService => ({
  name,
  contentType,
  errorIn: jsonErrorIn,
});

const LOGS = serviceNamed('logs', 'application/x-amz-json-1.1');
const DYNAMODB = serviceNamed('dynamodb', 'application/x-amz-json-1.0');
const BACKUP = serviceNamed('backup', 'application/json');

/** CloudWatch Logs: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/Welcome.html. */
export const callLogs = <T>(operation: string, input: object, schema: z.ZodType<T>): Promise<T> =>
  called(LOGS, operation, schema, { target: `Logs_20140328.${operation}`, body: JSON.stringify(input) });

/**
 * The description of a table in DynamoDB: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/Welcome.html.
 */
export const callDynamoDb = <T>(operation: string, input: object, schema: z.ZodType<T>): Promise<T> =>
  called(DYNAMODB, operation, schema, { target: `DynamoDB_20120810.${operation}`, body: JSON.stringify(input) });

/** AWS Backup, a REST API: https://docs.aws.amazon.com/aws-backup/latest/devguide/API_Operations_AWS_Backup.html. */
export const readBackup = <T>(
  path: string,
  query: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
): Promise<T> => called(BACKUP, path, schema, { get: { path, query } });

/** @throws ServiceException, an error of the connection, or OperatorProblem for a response that is something else */
async function called<T>(
  service: AwsService,
  operation: string,
  schema: z.ZodType<T>,
  request: ServiceRequest,
): Promise<T> {
  const text = await serviceOf(environmentTable().client, service)(request);
  return readResponse(`${service.name} ${operation}`, schema, text);
}
