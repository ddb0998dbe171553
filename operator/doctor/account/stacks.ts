import * as z from 'zod';
import { OperatorProblem } from '../../problem.ts';
import { Warning } from '../findings.ts';
import type { Account } from './aws.ts';

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Stack.html */
const schema = z.object({
  Stacks: z.object({
    member: z.object({ StackStatus: z.string(), EnableTerminationProtection: z.string().default('false') }),
  }),
});

/** The suffixes of the data, application and operations stacks. */
const PARTS = ['-data', '', '-ops'] as const;

/**
 * Checks whether the three stacks of a stage exist and are in a stable state.
 * @param name of the stage's application stack
 * @throws Warning, OperatorProblem, or an error of CloudFormation, which names a stack that does not exist
 */
export async function lookAtStacks({ cloudFormation }: Account, name: string): Promise<string> {
  const warnings: string[] = [];
  let next = '';
  for (const part of PARTS) {
    const stack = `${name}${part}`;
    const { Stacks } = await cloudFormation('DescribeStacks', { StackName: stack }, schema);
    const { StackStatus: status, EnableTerminationProtection: isProtected } = Stacks.member;
    if (!status.endsWith('_COMPLETE')) {
      throw new OperatorProblem(`${stack} is ${status}: wait, or look at its events in CloudFormation.`);
    }
    if (status.includes('ROLLBACK')) warnings.push(`${stack} is ${status}: its last deployment went back.`);
    if (part === '-data' && isProtected !== 'true') {
      next = `. Next, protect ${stack} from being deleted: deploy with terminationProtection=true`;
    }
  }
  if (warnings.length > 0) throw new Warning(warnings.join(' '));
  return `${PARTS.map((part) => `${name}${part}`).join(', ')} stand${next}`;
}
