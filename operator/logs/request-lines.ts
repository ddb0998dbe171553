import { logGroupsOf } from './groups.ts';
import { type Pause, type Row, runQuery } from './insights.ts';

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
  return `${FIELDS}\n| filter record.requestId in [${listed}] or requestId in [${listed}]\n| sort @timestamp\n| limit ${MOST}`;
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
