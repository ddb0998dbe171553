import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Problem } from '../../shared/contract/problem.ts';
import { notSuspended } from '../../shared/http/middleware/not-suspended.ts';
import type { Caller } from '../../shared/identity/caller.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { stageSuspension } from '../../shared/table/system/suspend.ts';
import { aCaller } from '../support/caller.ts';
import { aSession, chainEvent, refusal, through } from '../support/chain.ts';
import { freshTable } from '../support/dynamodb.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

let table: Table;
beforeAll(async () => {
  table = tableAt(await freshTable());
});

async function suspended(): Promise<string> {
  const orgId = randomUUID();
  const organization = openTenant(table, orgId);
  organization.session.origin = { actor: { type: 'operator' }, operation: 'x', requestId: null, sourceAddress: null };
  await doIn(organization, stageSuspension);
  return orgId;
}

const asked = (caller: Caller | undefined, at?: Table) => chainEvent({ caller, session: aSession(undefined, at) });

describe('a caller', () => {
  it('of a suspended organization reaches the handler once, which learns it; then no more', async () => {
    const caller = aCaller(await suspended());
    const event = asked(caller, table);
    await through([notSuspended()], event);
    await expect(event.suspensionCheck).rejects.toMatchObject({ type: 'organization-suspended', status: 403 });
    expect((await refusal([notSuspended()], asked(caller, table))).type).toBe('organization-suspended');
  });

  it('of another organization is let through', async () => {
    const event = asked(aCaller(randomUUID()), table);
    await through([notSuspended()], event);
    await expect(event.suspensionCheck).resolves.toBeUndefined();
  });

  it('of the platform, or none, is let through without asking the table', async () => {
    for (const caller of [aCaller(''), undefined]) {
      const event = asked(caller);
      await through([notSuspended()], event);
      await expect(event.suspensionCheck).resolves.toBeUndefined();
    }
  });

  it('is answered only when the check is over, also where a later middleware refuses the request', async () => {
    const checked = vi.fn<() => void>();
    const event = asked(aCaller(randomUUID()), table);
    const refusing = {
      before: (): never => {
        event.suspensionCheck.then(checked);
        throw new Problem('invalid-body');
      },
    };
    expect((await refusal([notSuspended(), refusing], event)).type).toBe('invalid-body');
    expect(checked).toHaveBeenCalledOnce();
  });

  it('is not let through when the table does not answer', async () => {
    const event = asked(aCaller(randomUUID()));
    await through([notSuspended()], event);
    await expect(event.suspensionCheck).rejects.toThrow();
  });
});
