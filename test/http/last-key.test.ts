import { expect, it } from 'vitest';
import type { OrgAccess } from '../support/api.ts';
import { INTEGRATIONS, type Key, keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** An organization cannot lock itself out (`docs/decisions/0070-permissions-of-integrations.md`). */

const api = useApi();
const platform = prepared(async () => callsOf(api, await api.platformToken()));

interface Owner extends Calls {
  readonly org: OrgAccess;
  readonly path: string;
}

async function owner(): Promise<Owner> {
  const org = await api.orgToken();
  return { ...callsOf(api, org.token), org, path: `${INTEGRATIONS}/${org.integrationId}` };
}

const WEAKER: readonly object[] = [
  { status: 'inactive' },
  { permissions: ['clients:read', 'integrations:write'] },
  { status: 'inactive', permissions: [] },
];

const weaken = (by: Calls, { path }: { readonly path: string }, change: object = { status: 'inactive' }) =>
  by.ask('PATCH', path, change);

it.each(WEAKER)('the last key with all permissions is not set %j', async (change) => {
  const mine = await owner();
  // Neither a key with fewer permissions nor one that is inactive could undo it.
  await keyMadeBy(api, mine, { permissions: ['integrations:write', 'clients:write'] });
  await mine.create(INTEGRATIONS, { app_code: `off-${mine.org.orgId}`, display_name: 'Off', status: 'inactive' });
  const before = await mine.read(mine.path);
  const { status, body } = await weaken(mine, mine, change);
  expect([status, body.type]).toEqual([409, 'urn:problem-type:custodia:conflict']);
  expect(await mine.read(mine.path)).toEqual(before);
  expect((await weaken(mine, mine, { display_name: 'Renamed', status: 'active', permissions: null })).status).toBe(200);
  const another = await keyMadeBy(api, mine);
  expect((await weaken(mine, mine, change)).status).toBe(200);
  expect((await weaken(another, another, change)).status).toBe(409);
});

it('a key that becomes active, or gets all permissions, is another one', async () => {
  for (const [made, change] of [
    [{ status: 'inactive' }, { status: 'active' }],
    [{ permissions: [] }, { permissions: null }],
  ]) {
    const mine = await owner();
    const fields = { app_code: `app-${mine.org.orgId}`, display_name: 'Second', ...made };
    const { id } = await mine.create(INTEGRATIONS, fields);
    expect((await weaken(mine, mine)).status).toBe(409);
    expect((await mine.ask('PATCH', `${INTEGRATIONS}/${id}`, change)).status).toBe(200);
    expect((await weaken(mine, mine)).status).toBe(200);
  }
});

it('the platform may shut out a whole organization, and let it in again', async () => {
  const mine = await owner();
  const path = `${mine.path}?org_id=${mine.org.orgId}`;
  expect((await weaken(platform, { path })).status).toBe(200);
  expect((await weaken(platform, { path }, { status: 'active' })).status).toBe(200);
  const back = callsOf(api, await api.login(mine.org.appCode, mine.org.secret));
  expect((await weaken(back, mine)).status).toBe(409);
});

it('two keys that weaken each other at once are not both weakened', async () => {
  for (const change of WEAKER) {
    const mine = await owner();
    const other = await keyMadeBy(api, mine);
    const responses = await Promise.all([weaken(mine, other, change), weaken(other, mine, change)]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = responses[0]?.status === 200 ? mine : other;
    expect((await left.ask('GET', INTEGRATIONS)).status).toBe(200);
  }
});

it('of many keys that shut themselves off at once one is left', async () => {
  const mine = await owner();
  const others = await Promise.all(Array.from({ length: 7 }, () => keyMadeBy(api, mine)));
  const keys: (Calls & Pick<Key, 'path'>)[] = [mine, ...others];
  const responses = await Promise.all(keys.map((key) => weaken(key, key)));
  expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(7).fill(200), 409]);
  expect((await platform.read(`${INTEGRATIONS}?status=active&org_id=${mine.org.orgId}`)).total).toBe(1);
});
