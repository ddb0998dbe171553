import { codesThatAllow } from '../../shared/contract/permissions.ts';
import type { Permissions } from '../../shared/http/power.ts';
import type { Changes } from '../../shared/table/repository/changes.ts';
import type { Integration } from './contract.ts';

/** Whether a change of an integration only takes power away: it sets it inactive, or leaves it fewer permissions. */
export function onlyTakesPower(before: Integration, { status, permissions, ...others }: Changes<Integration>): boolean {
  return (
    Object.keys(others).length === 0 &&
    status !== 'active' &&
    (permissions === undefined || isWithin(before.permissions, permissions))
  );
}

/** Whether permissions reach no further than others, by their own codes or by ones that include them. Null: all. */
const isWithin = (before: Permissions, after: Permissions): boolean =>
  before === null || (after?.every((code) => codesThatAllow(code).some((one) => before.includes(one))) ?? false);
