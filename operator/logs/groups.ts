import * as z from 'zod';
import { callLogs } from '../aws.ts';
import { OperatorProblem } from '../problem.ts';

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
