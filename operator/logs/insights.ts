import { setTimeout as sleep } from 'node:timers/promises';
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
  const { queryId } = await callLogs('StartQuery', {
    logGroupNames: groups,
    queryString: text,
    startTime: Math.floor(from / 1000),
    endTime: Math.ceil(until / 1000),
  });
  for (;;) {
    const response = (await callLogs('GetQueryResults', { queryId })) as unknown as QueryResults;
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

interface QueryResults {
  readonly status: string;
  readonly results: readonly (readonly { readonly field: string; readonly value: string }[])[];
  readonly statistics?: { readonly bytesScanned?: number };
}

const rowOf = (fields: QueryResults['results'][number]): Row =>
  Object.fromEntries(fields.map(({ field, value }) => [field, value]));
