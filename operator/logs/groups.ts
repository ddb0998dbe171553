import { callLogs } from '../aws.ts';
import { OperatorProblem } from '../problem.ts';

export interface LogGroup {
  readonly name: string;
  /** For how many days lines are kept; undefined: for ever. */
  readonly retentionDays: number | undefined;
}

/** Prefixes of the names that CloudFormation gives the log groups of a stack. */
export const GROUPS = { functions: 'Functions', gateway: 'ApiAccessLogs' } as const;

/**
 * The log groups of a stack's functions or of its gateway.
 * @throws OperatorProblem when there are none
 */
export async function logGroupsOf(stack: string, of: keyof typeof GROUPS): Promise<readonly LogGroup[]> {
  const groups: LogGroup[] = [];
  const prefix = `${stack}-${GROUPS[of]}`;
  let nextToken: unknown;
  do {
    const response = await callLogs('DescribeLogGroups', { logGroupNamePrefix: prefix, nextToken });
    const found = (response.logGroups ?? []) as readonly { logGroupName: string; retentionInDays?: number }[];
    groups.push(...found.map((each) => ({ name: each.logGroupName, retentionDays: each.retentionInDays })));
    nextToken = response.nextToken;
  } while (nextToken !== undefined);
  if (groups.length === 0) throw new OperatorProblem(`There is no log group whose name begins with ${prefix}.`);
  return groups;
}
