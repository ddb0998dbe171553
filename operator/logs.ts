import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { callLogs } from './aws.ts';
import { OperatorProblem } from './problem.ts';

export interface LogGroup {
  readonly name: string;
  /** For how many days lines are kept; undefined: for ever. */
  readonly retentionDays: number | undefined;
}

/** Prefixes of the names that CloudFormation gives the log groups of a stack. */
export const GROUPS = { functions: 'Functions', gateway: 'ApiAccessLogs' } as const;

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html */
const schema = z.object({
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
    const response = await callLogs('DescribeLogGroups', { logGroupNamePrefix: prefix, nextToken }, schema);
    groups.push(
      ...response.logGroups.map((each) => ({ name: each.logGroupName, retentionDays: each.retentionInDays })),
    );
    nextToken = response.nextToken;
  } while (nextToken !== undefined);
  if (groups.length === 0) throw new OperatorProblem(`There is no log group whose name begins with ${prefix}.`);
  return groups;
}

/** CloudWatch Logs Insights, which reads many log groups with one query. */

interface InsightsQuery {
  readonly groups: readonly string[];
  readonly text: string;
  /** In epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** A log line, or a row of statistics: the fields of the query, as text. */
export type Row = Readonly<Record<string, string>>;

interface QueryResult {
  readonly rows: readonly Row[];
  /** Bytes scanned. AWS charges the query by them: https://aws.amazon.com/cloudwatch/pricing/ */
  readonly bytesScanned: number;
}

/** Interval of polling a query, in milliseconds. */
const INTERVAL_MS = 1_000;
const OVER = ['Failed', 'Cancelled', 'Timeout'];

export type Pause = (milliseconds: number) => Promise<unknown>;

/**
 * Runs a query and waits for its end. AWS ends a query after an hour.
 * @throws OperatorProblem when it fails; errors of CloudWatch Logs
 */
export async function runQuery(
  { groups, text, from, until }: InsightsQuery,
  pause: Pause = sleep,
): Promise<QueryResult> {
  const started = {
    logGroupNames: groups,
    queryString: text,
    startTime: Math.floor(from / 1000),
    endTime: Math.ceil(until / 1000),
  };
  const { queryId } = await callLogs('StartQuery', started, startedSchema);
  for (;;) {
    const response = await callLogs('GetQueryResults', { queryId }, resultsSchema);
    if (response.status === 'Complete') {
      return { rows: response.results.map(rowOf), bytesScanned: response.statistics?.bytesScanned ?? 0 };
    }
    if (OVER.includes(response.status)) {
      throw new OperatorProblem(
        `CloudWatch Logs did not finish the query (${response.status}): ask for a shorter time.`,
      );
    }
    await pause(INTERVAL_MS);
  }
}

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetQueryResults.html */
const startedSchema = z.object({ queryId: z.string() });
const resultsSchema = z.object({
  status: z.string(),
  results: z.array(z.array(z.object({ field: z.string(), value: z.string().default('') }))).default([]),
  statistics: z.object({ bytesScanned: z.number().optional() }).optional(),
});

const rowOf = (fields: z.infer<typeof resultsSchema>['results'][number]): Row =>
  Object.fromEntries(fields.map(({ field, value }) => [field, value]));

/** A line of a log that is about a request. */
export interface RequestLine {
  readonly time: string;
  /** Name of its log group. */
  readonly log: string;
  readonly line: unknown;
}

interface Span {
  /** In epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** Most lines that Insights returns. */
const MOST = 10_000;
const FIELDS = 'fields @timestamp, @log, @message';

/** The lines of the gateway and of functions carry the request id of the gateway. */
export const byRequestId = (id: string): string =>
  `${FIELDS}\n| filter request_id = "${id}"\n| sort @timestamp\n| limit ${MOST}`;

/**
 * Lambda's own lines carry ids of invocations, which the gateway's line contains. Lines of the platform have them in
 * `record`, lines of the runtime about uncaught errors at the top.
 */
export const byInvocation = (ids: readonly string[]): string => {
  const listed = ids.map((id) => `"${id}"`).join(', ');
  const filter = `record.requestId in [${listed}] or requestId in [${listed}]`;
  return `${FIELDS}\n| filter ${filter}\n| sort @timestamp\n| limit ${MOST}`;
};

/**
 * All lines of the gateway and of functions about a request, by time.
 * @param id as callers have it from `X-Request-Id`: a UUID
 */
export async function linesOfRequest(
  stack: string,
  id: string,
  span: Span,
  pause?: Pause,
): Promise<readonly RequestLine[]> {
  const [gateway, functions] = await Promise.all([logGroupsOf(stack, 'gateway'), logGroupsOf(stack, 'functions')]);
  const namesOf = (groups: typeof functions): string[] => groups.map(({ name }) => name);
  const all = [...namesOf(gateway), ...namesOf(functions)];
  const { rows } = await runQuery({ groups: all, text: byRequestId(id), ...span }, pause);
  const lines = rows.map(lineOf);
  const invocations = lines.flatMap(invocationsIn);
  if (invocations.length === 0) return lines;
  const text = byInvocation(invocations);
  const platform = await runQuery({ groups: namesOf(functions), text, ...span }, pause);
  return [...lines, ...platform.rows.map(lineOf)].toSorted((one, other) => one.time.localeCompare(other.time));
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

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Ids of invocations in the gateway's line, which has `-` for a function that was not called. */
function invocationsIn({ line }: RequestLine): string[] {
  const { function_request_id, authorizer_request_id } = Object(line) as Readonly<Record<string, unknown>>;
  return [function_request_id, authorizer_request_id].filter(
    (id): id is string => typeof id === 'string' && UUID.test(id),
  );
}
