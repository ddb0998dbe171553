import type { Key } from '@custodia/counted-lists';
import { recordsPartition, tenantIdOf } from '#table';
import type { Api, OrgAccess } from '../../test/support/api.ts';
import { type Scenario, TestTenant } from '../../test/support/scenario.ts';
import { expected, fill, type Played, playOnce, readUnitsOf, titleOf, writeUnitsOf } from '../data-model/play.ts';
import type { Recorder } from '../data-model/recorder.ts';
import { lengthen } from './long-lists.ts';
import { type Footprint, sharedItems, sharedPartitions, type Units } from './partitions.ts';
import { MEASURED_REQUESTS, type MeasuredRequest } from './requests.ts';

/** What two requests of one tenant, for different records, have in common. */
export interface SharedLoad {
  /** `POST /clients, up to 1 KB` */
  readonly title: string;
  /** Of one request. */
  readonly units: Readonly<Units>;
  /** The partition keys that both use. */
  readonly partitions: ReadonlyMap<string, Readonly<Units>>;
  /** Items that are in the transactions of both, where both are for records of the same parent. */
  readonly items: readonly Key[];
}

/** Plays the {@link MEASURED_REQUESTS} in a new organization. */
export async function measureSharedLoads(
  api: Pick<Api, 'request' | 'platformToken'>,
  org: OrgAccess,
  recorder: Recorder,
): Promise<readonly SharedLoad[]> {
  const tenant = new TestTenant(api, org);
  const loads: SharedLoad[] = [];
  for (const request of MEASURED_REQUESTS) {
    const { longList } = request;
    if (longList !== undefined) {
      const partition = recordsPartition(tenantIdOf(org.orgId), longList.entity);
      await lengthen({ ...longList, partition }, longList.length, recorder.table);
    }
    loads.push(await sharedLoad(tenant, request, recorder));
  }
  return loads;
}

async function sharedLoad(tenant: TestTenant, request: MeasuredRequest, recorder: Recorder): Promise<SharedLoad> {
  const first = await scenarioOf(tenant, request);
  const title = `${titleOf(first.route)}${queryWords(request)}${request.what === undefined ? '' : `, ${request.what}`}`;
  const play = async (scenario: Scenario): Promise<Played & { footprint: Footprint }> => {
    const { footprint, ...played } = await playOnce(tenant, scenario, recorder, title);
    if (footprint === undefined) throw new Error('only an engine that counts units as AWS does shows what binds');
    return { ...played, footprint };
  };
  if (first.route.method === 'GET') await fill(tenant, await tenant.scenario(request.operationId));
  // Does not count: afterwards the lists exist, and the authorizer's response is cached.
  await expected(tenant, await scenarioOf(tenant, request));
  const { calls, footprint } = await play(first);
  const other = await play(await scenarioOf(tenant, request));
  const sibling = isOfParent(first) ? await play({ ...(await scenarioOf(tenant, request)), path: first.path }) : other;
  return {
    title,
    units: { read: readUnitsOf(calls), write: writeUnitsOf(calls) },
    partitions: sharedPartitions(footprint, other.footprint),
    items: sharedItems(footprint, sibling.footprint),
  };
}

async function scenarioOf(tenant: TestTenant, { operationId, query = '', fields }: MeasuredRequest): Promise<Scenario> {
  const { path, body, ...scenario } = await tenant.scenario(operationId);
  return { ...scenario, path: `${path}${query}`, body: fields === undefined ? body : { ...body, ...fields } };
}

/** Whether it creates a record of the parent in its path. */
const isOfParent = ({ route: { method, path } }: Scenario): boolean => method === 'POST' && /\{id\}\/./.test(path);

const queryWords = ({ query = '' }: MeasuredRequest): string => query.replace(/=.*/, '=…');
