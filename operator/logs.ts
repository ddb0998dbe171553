import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { callLogs } from './aws.ts';
import { OperatorProblem } from './problem.ts';

/** What CloudWatch Logs has of a request: Insights reads many log groups with one query. */

/** How the names begin that CloudFormation gives the log groups of a stage, behind the stage's own prefix. */
export const GROUPS = { functions: 'Functions', gateway: 'api-ApiAccessLogs' } as const;

export interface LogGroup {
  readonly name: string;
  /** For how many days lines are kept; undefined: for ever. */
  readonly retentionDays: number | undefined;
}

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html */
const groupsSchema = z.object({
  logGroups: z.array(z.object({ logGroupName: z.string(), retentionInDays: z.number().optional() })).default([]),
  nextToken: z.string().optional(),
});

/**
 * The log groups of a stack's functions or of its gateway.
 * @throws OperatorProblem when there are none
 */
export async function logGroupsOf(stack: string, of: keyof typeof GROUPS): Promise<readonly LogGroup[]> {
  const groups: LogGroup[] = [];
  const prefix = `${stack}-${GROUPS[of]}`;
  let nextToken: string | undefined;
  do {
    const response = await callLogs('DescribeLogGroups', { logGroupNamePrefix: prefix, nextToken }, groupsSchema);
    groups.push(
      ...response.logGroups.map((each) => ({ name: each.logGroupName, retentionDays: each.retentionInDays })),
    );
    nextToken = response.nextToken;
  } while (nextToken !== undefined);
  if (groups.length === 0) throw new OperatorProblem(`There is no log group whose name begins with ${prefix}.`);
  return groups;
}

/** In epoch milliseconds. */
interface Span {
  readonly from: number;
  readonly until: number;
}

interface InsightsQuery extends Span {
  readonly groups: readonly string[];
  readonly text: string;
}

/** A log line, or a row of sums: the fields of the query, as text. */
export type Row = Readonly<Record<string, string>>;

/** Interval of polling a query, in milliseconds. */
const INTERVAL_MS = 1_000;
const OVER = ['Failed', 'Cancelled', 'Timeout'];

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetQueryResults.html */
const startedSchema = z.object({ queryId: z.string() });
const resultsSchema = z.object({
  status: z.string(),
  results: z.array(z.array(z.object({ field: z.string(), value: z.string().default('') }))).default([]),
});

/**
 * Runs a query and waits for its end. AWS ends a query after an hour.
 * @throws OperatorProblem when it fails; errors of CloudWatch Logs
 */
export async function runQuery(
  { groups, text, from, until }: InsightsQuery,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<readonly Row[]> {
  const started = {
    logGroupNames: groups,
    queryString: text,
    startTime: Math.floor(from / 1000),
    endTime: Math.ceil(until / 1000),
  };
  const { queryId } = await callLogs('StartQuery', started, startedSchema);
  for (;;) {
    const { status, results } = await callLogs('GetQueryResults', { queryId }, resultsSchema);
    if (status === 'Complete')
      return results.map((fields) => Object.fromEntries(fields.map(({ field, value }) => [field, value])));
    if (OVER.includes(status))
      throw new OperatorProblem(`CloudWatch Logs did not finish the query (${status}): ask for a shorter time.`);
    await pause(INTERVAL_MS);
  }
}

/** A line of a log that is about a request. */
export interface RequestLine {
  readonly time: string;
  /** Name of its log group. */
  readonly log: string;
  readonly line: unknown;
}

/** Insights returns at most so many lines. */
export const MOST = 10_000;

const linesWhere = (filter: string): string =>
  `fields @timestamp, @log, @message\n| filter ${filter}\n| sort @timestamp\n| limit ${MOST}`;

/** The lines of the gateway and of functions carry the request id of the gateway. */
export const byRequestId = (id: string): string => linesWhere(`request_id = "${id}"`);

/**
 * Lambda's own lines carry ids of invocations, which the gateway's line contains. Lines of the platform have them in
 * `record`, lines of the runtime about uncaught errors at the top.
 */
export const byInvocation = (ids: readonly string[]): string => {
  const listed = ids.map((id) => `"${id}"`).join(', ');
  return linesWhere(`record.requestId in [${listed}] or requestId in [${listed}]`);
};

/**
 * All lines of the gateway and of functions about a request, by time.
 * @param id as callers have it from `X-Request-Id`: a UUID
 */
export async function linesOfRequest(stack: string, id: string, span: Span): Promise<readonly RequestLine[]> {
  const namesOf = async (of: keyof typeof GROUPS) => (await logGroupsOf(stack, of)).map(({ name }) => name);
  const [gateway, functions] = await Promise.all([namesOf('gateway'), namesOf('functions')]);
  const found = await runQuery({ groups: [...gateway, ...functions], text: byRequestId(id), ...span });
  const lines = found.map(lineOf);
  const invocations = lines.flatMap(invocationsIn);
  if (invocations.length === 0) return lines;
  const ofPlatform = await runQuery({ groups: functions, text: byInvocation(invocations), ...span });
  return [...lines, ...ofPlatform.map(lineOf)].toSorted((one, other) => one.time.localeCompare(other.time));
}

const lineOf = (row: Row): RequestLine => ({
  // `2026-11-22 16:00:00.123`, in UTC.
  time: `${row['@timestamp']?.replace(' ', 'T')}Z`,
  // `111122223333:custodia-prod-FunctionsClientsLogs…`
  log: row['@log']?.replace(/^\d+:/, '') ?? '',
  line: parsed(row['@message'] ?? ''),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Ids of invocations in the gateway's line, which has `-` for a function that was not called. */
const invocationsIn = ({ line }: RequestLine): string[] => {
  const { function_request_id, authorizer_request_id } = Object(line) as Readonly<Record<string, unknown>>;
  return [function_request_id, authorizer_request_id].flatMap((id) => z.guid().safeParse(id).data ?? []);
};
