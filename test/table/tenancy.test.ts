import { describe, expect, it } from 'vitest';
import { StaleRead, tenantKey } from '#table';
import { areLive, readSuspension, type Suspension, stageSuspension } from '#tenancy';
import { useTable } from './test-list.ts';

/** What is stored about a tenant itself. */

const table = useTable();

/** A session of the operator. */
function opened() {
  const tenant = table.open();
  tenant.session.audit.origin = {
    actor: { type: 'operator' },
    operation: 'suspendOrganization',
    requestId: null,
    sourceAddress: null,
  };
  return tenant;
}

describe('a suspension', () => {
  const first: Suspension = { state: 'suspended', since: '2026-11-20T09:30:00.000Z' };
  const second: Suspension = { state: 'suspended', since: '2026-11-21T09:30:00.000Z' };
  const changed = async (before: Suspension | undefined, after: Suspension | undefined): Promise<void> => {
    const tenant = opened();
    await stageSuspension(tenant, before, after);
    await tenant.session.commit();
  };

  it('changes only from the one that was read', async () => {
    await changed(undefined, first);
    await expect(changed(undefined, second)).rejects.toThrow(StaleRead);
    await changed(first, undefined);
    await changed(undefined, second);
    await expect(changed(first, { ...first, restoring: { from: 'copy', version: 7 } })).rejects.toThrow(StaleRead);
    await expect(changed(first, undefined)).rejects.toThrow(StaleRead);
    expect(await readSuspension(opened(), true)).toMatchObject(second);
  });
});

it('an id of an event and the same key of a request are remembered apart', async () => {
  const tenant = opened();
  const remember = (kind: 'EVENT' | 'REQUEST') =>
    tenant.deduplication<object>(kind, 'i').remember('same', { kind }, 60, () => new StaleRead('seen'));
  remember('EVENT');
  remember('REQUEST');
  await tenant.session.commit();
  for (const kind of ['EVENT', 'REQUEST'] as const) {
    expect(await table.item(tenantKey(tenant.id, `ONCE#${kind}#i`, 'same'))).toMatchObject({ kind });
  }
});

describe('credentials', () => {
  const NOW = 10_000;
  const holder = { integrationId: 'i', tokenEpoch: 2, secretId: 'new' };
  const stored = {
    integration_id: 'i',
    status: 'active' as const,
    permissions: ['clients:write'],
    token_epoch: 2,
    secrets: [
      { id: 'new', hash: '', encrypted: '', expires_at: null },
      { id: 'old', hash: '', encrypted: '', expires_at: 11 },
    ],
  };

  it('are live for their holder', () => {
    expect(areLive(stored, holder, NOW, ['clients:read'])).toBe(true);
    expect(areLive(stored, { ...holder, secretId: 'old' }, NOW)).toBe(true);
  });

  it.each([
    ['they were deleted', undefined, holder],
    ['the integration is inactive', { ...stored, status: 'inactive' as const }, holder],
    ['the app code is another integration’s', { ...stored, integration_id: 'j' }, holder],
    ['the tokens were ended', { ...stored, token_epoch: 3 }, holder],
    ['the secret is gone', stored, { ...holder, secretId: 'older' }],
    ['the secret has expired', stored, { ...holder, secretId: 'old' }],
  ])('are not when %s', (_, found, by) => {
    expect(areLive(found, by, NOW + 1_000)).toBe(false);
  });
});
