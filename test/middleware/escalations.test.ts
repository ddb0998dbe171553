import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { badToken } from '../../shared/contract/challenge.ts';
import { Problem } from '../../shared/contract/problem.ts';
import { escalations } from '../../shared/http/middleware/escalations.ts';
import { recordRefusal } from '../../shared/http/refusals.ts';
import { aCaller } from '../support/caller.ts';
import { aSession, chainEvent, refusal } from '../support/chain.ts';

vi.mock('../../shared/http/refusals.ts', async (actual) => ({
  ...(await actual<typeof import('../../shared/http/refusals.ts')>()),
  recordRefusal: vi.fn(),
}));
beforeEach(() => vi.mocked(recordRefusal).mockReset());

const orgId = randomUUID();
const matchedAs = (privileged: boolean) =>
  ({ operationId: 'rotateSecret', route: privileged ? { privileged } : {} }) as never;
const refused = (error: unknown, { privileged = true, isKnown = true } = {}) => {
  const throwing = { before: () => Promise.reject(error) };
  const caller = isKnown ? aCaller(orgId) : undefined;
  const event = { caller, matched: matchedAs(privileged), session: aSession() };
  return refusal([escalations(), throwing], chainEvent(event as never));
};

describe('a refused privileged operation', () => {
  it.each([new Problem('forbidden'), badToken('The integration is inactive.')])('is recorded: %s', async (error) => {
    expect(await refused(error)).toMatchObject({ type: error.type });
    expect(recordRefusal).toHaveBeenCalledExactlyOnceWith(
      expect.anything(),
      { tenant: orgId, integration_id: expect.any(String) },
      'escalation_refused',
      { actor: expect.objectContaining({ type: 'integration' }), operation: 'rotateSecret' },
    );
  });

  it('is not recorded where something else is wrong, of others, or of nobody', async () => {
    for (const type of ['not-found', 'invalid-body', 'organization-suspended', 'too-many-requests'] as const) {
      await refused(new Problem(type));
    }
    await refused(new Problem('forbidden'), { privileged: false });
    await refused(new Problem('unauthorized'), { isKnown: false });
    expect(recordRefusal).not.toHaveBeenCalled();
  });
});
