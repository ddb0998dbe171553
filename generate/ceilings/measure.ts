import type { Key, Table } from '#lists';
import { recordsPartition, tenantIdOf } from '#table/keys';
import type { Api, OrgAccess } from '../../test/support/api.ts';
import { type Scenario, TestTenant } from '../../test/support/scenario.ts';
import { expected, fill, readUnitsOf, titleOf, writeUnitsOf } from '../data-model/play.ts';
import type { Recorder } from '../data-model/recorder.ts';
import { lengthen } from './long-lists.ts';
import { type Footprint, footprintOf, sharedItems, sharedPartitions, type Units } from './partitions.ts';
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
  table: Table,
): Promise<readonly SharedLoad[]> {
  const tenant = new TestTenant(api, org);
  const loads: SharedLoad[] = [];
  for (const request of MEASURED_REQUESTS) {
    const { longList } = request;
    if (longList !== undefined) {
      const partition = recordsPartition(tenantIdOf(org.orgId), longList.entity);
      await lengthen({ ...longList, partition }, longList.length, table);
    }
    loads.push(await sharedLoad(tenant, request, recorder, table));
  }
  return loads;
}

async function sharedLoad(
  tenant: TestTenant,
  request: MeasuredRequest,
  recorder: Recorder,
  table: Table,
): Promise<SharedLoad> {
  const play = async (scenario: Scenario): Promise<{ units: Units; footprint: Footprint }> => {
    const calls = await recorder.record(() => expected(tenant, scenario));
    const units = { read: readUnitsOf(calls), write: writeUnitsOf(calls) };
    return { units, footprint: await footprintOf(calls, table) };
  };
  const first = await scenarioOf(tenant, request);
  if (first.route.method === 'GET') await fill(tenant, await tenant.scenario(request.operationId));
  // Does not count: afterwards the lists exist, and the authorizer's response is cached.
  await expected(tenant, await scenarioOf(tenant, request));
  const { units, footprint } = await play(first);
  const other = (await play(await scenarioOf(tenant, request))).footprint;
  const sibling = isOfParent(first)
    ? await play({ ...(await scenarioOf(tenant, request)), path: first.path })
    : undefined;
  return {
    title: `${titleOf(first.route)}${queryWords(request)}${request.what === undefined ? '' : `, ${request.what}`}`,
    units,
    partitions: sharedPartitions(footprint, other),
    items: sharedItems(footprint, sibling?.footprint ?? other),
  };
}

async function scenarioOf(tenant: TestTenant, { operationId, query = '', fields }: MeasuredRequest): Promise<Scenario> {
  const { path, body, ...scenario } = await tenant.scenario(operationId);
  return { ...scenario, path: `${path}${query}`, body: fields === undefined ? body : { ...body, ...fields } };
}

/** Whether it creates a record of the parent in its path. */
const isOfParent = ({ route: { method, path } }: Scenario): boolean => method === 'POST' && /\{id\}\/./.test(path);

const queryWords = ({ query = '' }: MeasuredRequest): string => query.replace(/=.*/, '=…');
