import type { Command } from 'commander';
import { RequestSession, Tenant } from '#table';
import { type Organization, organizationList, readSuspension, type Suspension } from '#tenancy';
import { quoted } from '../../../local/terminal/printable.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../../target.ts';

/** `organizations list` works under the stack's operator role, which reads the platform's list and the suspensions. */

export function declareListOrganizations(group: Command): void {
  const command = group.command('list').description('List all organizations, the oldest first, with who is suspended');
  withJson(withTarget(command, 'OperatorRoleArn')).action(list);
  withExamples(command, 'organizations list --outputs outputs.json', 'organizations list --local --json');
}

type Listed = Pick<Organization, 'id' | 'name' | 'slug' | 'created_at'> & {
  /** Null where it is not suspended. */
  readonly suspension: Pick<Suspension, 'state' | 'since'> | null;
};

/** Number of suspensions read at the same time. */
const AT_ONCE = 50;
/** Deadline of a read. */
const TIMEOUT_MS = 10_000;

async function list(options: TargetOptions & ResultOptions): Promise<void> {
  await using _ = await openTarget(options, 'OperatorRoleArn');
  const all: Organization[] = [];
  const platform = Tenant.ofPlatform(RequestSession.ofEnvironment(TIMEOUT_MS));
  for await (const { record } of organizationList(platform).all()) all.push(record);
  const listed: Listed[] = [];
  while (listed.length < all.length) {
    listed.push(...(await Promise.all(all.slice(listed.length, listed.length + AT_ONCE).map(withSuspension))));
  }
  printResult(options, listed, [...listed.map(lineOf), `Organizations: ${listed.length}.`]);
}

async function withSuspension({ id, name, slug, created_at }: Organization): Promise<Listed> {
  const found = await readSuspension(Tenant.ofOperator(id, RequestSession.ofEnvironment(TIMEOUT_MS)));
  const suspension = found === undefined ? null : { state: found.state, since: found.since };
  return { id, name, slug, created_at, suspension };
}

const lineOf = ({ id, name, slug, created_at, suspension }: Listed): string =>
  [
    id,
    created_at,
    slug,
    quoted(name),
    ...(suspension === null ? [] : [`(${suspension.state} since ${suspension.since})`]),
  ].join('  ');
