import { type Command, Option } from 'commander';
import * as z from 'zod';
import { environmentSession } from '../shared/table/session.ts';
import { Tenant } from '../shared/table/tenant.ts';
import type { Verified } from '../shared/table/verify/difference.ts';
import { verify } from '../shared/table/verify/verify.ts';
import { kinds } from './kinds.ts';
import { openLocalData } from './local-data.ts';
import { OperatorProblem } from './problem.ts';
import { type StackOptions, setStackEnvironment, stackOf, withStackOptions } from './stack.ts';

/**
 * `verify` works under the stack's maintenance role, in a session that reaches the one tenant that is named
 * (`docs/decisions/0092-operator-verify.md`), or on the data of `npm start`.
 */

interface VerifyOptions extends StackOptions {
  readonly org: string;
  readonly repair?: true;
  readonly local?: true;
}

/** Exit code where something differs and was not repaired. */
const DIFFERS = 1;

/** For the first reads, in milliseconds; each read and write that verifies has a time of its own. */
const TIMEOUT_MS = 10_000;

export function declareVerify(program: Command): void {
  const command = program
    .command('verify')
    .description("Recount a tenant's lists, filters and counters against its records, and print what differs")
    .requiredOption('--org <id>', 'id of an organization, or "platform"')
    .option('--repair', 'repair what differs, build filters that were added later, finish unfinished deletions');
  withStackOptions(command, 'MaintenanceRoleArn')
    .addOption(
      new Option('--local', 'the data of npm start instead of a stack; takes DATA_DIR and DYNAMODB_ENDPOINT').conflicts(
        ['outputs', 'table', 'role', 'region'],
      ),
    )
    .action(verifyTenant);
}

async function verifyTenant(options: VerifyOptions): Promise<void> {
  const id = tenantIdIn(options.org);
  await using opened = new AsyncDisposableStack();
  if (options.local) opened.defer(await openLocalData());
  else await workOnStack(options);

  await verifyAndTell(id, options.repair === true).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'ResourceNotFoundException')) throw error;
    throw new OperatorProblem(`There is no table ${process.env.TABLE_NAME}.`, { cause: error });
  });
}

async function verifyAndTell(id: string, repair: boolean): Promise<void> {
  const tenant = Tenant.ofOperator(id, environmentSession(TIMEOUT_MS));
  if (!(await tenant.exists())) throw new OperatorProblem(`There is no organization ${id}.`);
  const { records, differences } = await verify(tenant, kinds, {
    repair,
    report: (difference) => console.log(lineOf(difference, repair)),
  });
  const repaired = differences.filter((difference) => difference.repaired).length;
  console.log(`Records looked at: ${records}. Differences: ${differences.length}. Repaired: ${repaired}.`);
  if (repaired < differences.length) process.exitCode = DIFFERS;
}

function tenantIdIn(org: string): string {
  if (org.toLowerCase() === 'platform') return 'PLATFORM';
  const id = z.guid().toLowerCase().safeParse(org).data;
  if (id === undefined) throw new OperatorProblem('--org must be the id of an organization, or "platform".');
  return id;
}

/** The role is assumed by the tenant handle, once for the tenant and again before its session ends. */
async function workOnStack(options: VerifyOptions): Promise<void> {
  const stack = await stackOf(options, 'MaintenanceRoleArn');
  if (stack.table === undefined) {
    throw new OperatorProblem('Name the stack with --outputs or --table, or the data of npm start with --local.');
  }
  setStackEnvironment(stack.table, stack);
  if (stack.role !== undefined) process.env.TENANT_ROLE_ARN = stack.role;
}

function lineOf({ text, repaired, reason }: Verified, repair: boolean): string {
  if (repaired) return `${text} (repaired)`;
  const said = [...(repair ? ['not repaired'] : []), ...(reason === undefined ? [] : [reason])].join(': ');
  return said === '' ? text : `${text} (${said})`;
}
