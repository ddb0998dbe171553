import { expect, it } from 'vitest';
import { noContent, type PermissionCode, route } from '../../shared/contract/route.ts';
import { authorized } from '../../shared/http/middleware/authorized.ts';
import { aCaller } from '../support/caller.ts';
import { type ChainEvent, RESPONSE, refusal, routedEvent, through } from '../support/chain.ts';

const options = { summary: 'x', response: noContent('Done.') };

/** A request of a caller with these permissions, for a route that needs one. */
const asked = (needed: PermissionCode, permissions: string): ChainEvent =>
  routedEvent(route('GET', '/things', { ...options, permission: needed }), { caller: aCaller('org', { permissions }) });

it.each<[needed: PermissionCode, permissions: string]>([
  ['things:read', 'things:read'],
  ['things:read', 'others:read things:read'],
  ['things:read', 'things:write'],
  ['things:write', '*'],
])('what needs %s is let through with %s', async (needed, permissions) => {
  expect(await through([authorized()], asked(needed, permissions))).toEqual(RESPONSE);
});

it.each<[needed: PermissionCode, permissions: string]>([
  ['things:read', ''],
  ['things:write', 'things:read'],
  ['things:read', 'others:read others:write'],
  ['things:read', 'things:reads'],
])('what needs %s is refused with "%s", and told what it needs', async (needed, permissions) => {
  const { type, detail } = await refusal([authorized()], asked(needed, permissions));
  expect([type, detail]).toEqual(['forbidden', `This needs the permission ${needed}.`]);
});

it('where no token is asked for, none is needed', async () => {
  const open = route('GET', '/things', { ...options, auth: 'none' });
  expect(await through([authorized()], routedEvent(open, { caller: undefined }))).toEqual(RESPONSE);
});

it('where a token may be left out, one that was sent must do', async () => {
  const optional = route('POST', '/things', { ...options, auth: 'bearer-optional', permission: 'things:write' });
  expect(await through([authorized()], routedEvent(optional, { caller: undefined }))).toEqual(RESPONSE);
  const caller = aCaller('org', { permissions: 'things:read' });
  expect((await refusal([authorized()], routedEvent(optional, { caller }))).type).toBe('forbidden');
});
