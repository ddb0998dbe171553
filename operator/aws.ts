import { type AwsService, serviceOf } from '#aws';
import { environmentTable } from '#table';

/**
 * Calls AWS services that commands need only once or twice, without a client package for each
 * (`docs/decisions/0122-lean-client.md`).
 */

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

type AwsResponse = Promise<Readonly<Record<string, unknown>>>;

/** CloudWatch Logs: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/Welcome.html. */
export const callLogs = (operation: string, input: object): AwsResponse =>
  called(LOGS, { target: `Logs_20140328.${operation}`, body: JSON.stringify(input) });

/**
 * The description of a table in DynamoDB: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/Welcome.html.
 */
export const callDynamoDb = (operation: string, input: object): AwsResponse =>
  called(DYNAMODB, { target: `DynamoDB_20120810.${operation}`, body: JSON.stringify(input) });

/** AWS Backup, a REST API: https://docs.aws.amazon.com/aws-backup/latest/devguide/API_Operations_AWS_Backup.html. */
export const readBackup = (path: string, query: Readonly<Record<string, string>>): AwsResponse =>
  called(BACKUP, { get: { path, query } });

const called = async (service: AwsService, request: Parameters<ReturnType<typeof serviceOf>>[0]): AwsResponse =>
  JSON.parse(await serviceOf(environmentTable().client, service)(request));
