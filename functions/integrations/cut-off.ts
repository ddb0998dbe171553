import { includeAll } from '#identity';
import type { Integration } from './contract.ts';

/** Whether a change of an integration only removes permissions: it sets it inactive, or leaves it fewer permissions. */
export function onlyRemovesPermissions(
  before: Integration,
  { status, permissions, ...others }: Partial<Integration>,
): boolean {
  return (
    Object.keys(others).length === 0 &&
    status !== 'active' &&
    (permissions === undefined || includeAll(before.permissions, permissions))
  );
}
