import { type AwsService, serviceOf } from '@custodia/lean-dynamodb';
import type * as z from 'zod';
import { environmentTable } from '#table';
import { OperatorProblem } from './problem.ts';

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

const INSTEAD = 'look whether something else answers in its place, such as a proxy or AWS_ENDPOINT_URL.';

/**
 * Reads what AWS has responded. A command names the members that it needs by a schema; a member that is `null` is the
 * same as an absent one, because services differ in which they send.
 * @param call what was called, for people: `lambda GetAccountSettings`
 * @param response JSON, or what the SDK has read
 * @throws OperatorProblem for a response without these members
 */
export function readResponse<T>(call: string, schema: z.ZodType<T>, response: unknown): T {
  const { data, error } = schema.safeParse(
    withoutNulls(typeof response === 'string' ? parsed(call, response) : response),
  );
  if (error === undefined) return data;
  const members = [...new Set(error.issues.map(({ path }) => path.join('.') || 'everything'))];
  throw new OperatorProblem(
    `AWS responded to ${call} without what its reference describes (${members.join(', ')}): ${INSTEAD}`,
  );
}

function parsed(call: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OperatorProblem(`AWS responded to ${call} with a text that cannot be read: ${INSTEAD}`, { cause });
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => each !== null).map(withoutNulls);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
