import { readSuspension, type Suspension, stageSuspension } from '#tenancy';
import { asOperator } from './as-operator.ts';
import { OperatorProblem } from './problem.ts';
import { requireExisting } from './tenant-option.ts';

export interface Suspended extends Pick<Suspension, 'state' | 'since'> {
  /** False: it was suspended before. */
  readonly changed: boolean;
}

/**
 * Suspends an organization: from then on all of its keys are refused
 * (`docs/decisions/0096-suspending-exporting-erasing.md`).
 * @throws OperatorProblem when there is no such organization
 */
export const suspendOrganization = (id: string): Promise<Suspended> =>
  asOperator('suspendOrganization', id, async (tenant) => {
    const before = await readSuspension(tenant, true);
    if (before !== undefined) return { state: before.state, since: before.since, changed: false };
    await requireExisting(tenant);
    const suspension: Suspension = { state: 'suspended', since: tenant.session.timestamp };
    await stageSuspension(tenant, undefined, suspension);
    return { ...suspension, changed: true };
  });

/**
 * Ends the suspension of an organization.
 * @returns whether it was suspended
 * @throws OperatorProblem when there is no such organization, or it is being erased
 */
export const resumeOrganization = (id: string): Promise<boolean> =>
  asOperator('resumeOrganization', id, async (tenant) => {
    const suspension = await readSuspension(tenant, true);
    if (suspension === undefined) {
      await requireExisting(tenant);
      return false;
    }
    if (suspension.state !== 'suspended')
      throw new OperatorProblem(`${id} cannot be resumed: it is ${STATES[suspension.state]}.`);
    if (suspension.restoring !== undefined) {
      const { from } = suspension.restoring;
      throw new OperatorProblem(
        `${id} cannot be resumed: its restoration from ${from} is not finished. Run custodia restore-tenant again.`,
      );
    }
    await stageSuspension(tenant, suspension, undefined);
    return true;
  });

const STATES = { erasing: 'being erased', erased: 'erased' } as const;
