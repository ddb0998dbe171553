import type { Command } from 'commander';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { resumeOrganization, suspendOrganization } from '../../suspending.ts';
import { withTarget } from '../../target.ts';
import { openForOrganization, type TenantOptions, withOrganization } from '../../tenant-option.ts';

/**
 * `organizations suspend` and `resume` work under the stack's maintenance role, in an STS session for that one organization
 * (`docs/decisions/0096-suspending-exporting-erasing.md`).
 */

interface SuspendOptions extends TenantOptions, ResultOptions {}

export function declareSuspend(group: Command): void {
  const command = withOrganization(group.command('suspend')).description(
    'Refuse all keys of an organization from now on: logins, tokens and webhooks. Its data stays',
  );
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(suspend);
  withExamples(command, 'organizations suspend --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json');
}

export function declareResume(group: Command): void {
  const command = withOrganization(group.command('resume')).description(
    'Accept the keys of a suspended organization again, as they were',
  );
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(resume);
  withExamples(command, 'organizations resume --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json');
}

async function suspend(options: SuspendOptions): Promise<void> {
  await using target = await openForOrganization(options, 'MaintenanceRoleArn');
  const id = target.id;
  const suspended = await suspendOrganization(id);
  const { state, since, changed } = suspended;
  printResult(options, { org_id: id, ...suspended }, [
    changed ? `${id} is suspended: all of its keys are refused.` : `${id} is ${state} since ${since} already.`,
  ]);
}

async function resume(options: SuspendOptions): Promise<void> {
  await using target = await openForOrganization(options, 'MaintenanceRoleArn');
  const id = target.id;
  const changed = await resumeOrganization(id);
  printResult(options, { org_id: id, state: 'active', changed }, [
    changed ? `${id} is resumed: its keys work again.` : `${id} is not suspended.`,
  ]);
}
