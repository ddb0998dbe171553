import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { callLogs } from '../aws.ts';
import { OperatorProblem } from '../problem.ts';

/** CloudWatch Logs Insights, which reads many log groups with one query. */

export interface InsightsQuery {
  readonly groups: readonly string[];
  readonly text: string;
  /** In epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** A log line, or a row of statistics: the fields of the query, as text. */
export type Row = Readonly<Record<string, string>>;

export interface QueryResult {
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
