import type { Key } from '@custodia/counted-lists';
import { MOST_ENTRIES } from '../../functions/logs/contract.ts';
import type { Api, JsonBody, OrgAccess } from '../../test/support/api.ts';
import { type Scenario, TestTenant } from '../../test/support/scenario.ts';
import { costOf, expected, fill, type Played, playOnce, titleOf } from '../data-model/play.ts';
import type { Recorder } from '../data-model/recorder.ts';
import { sharedItems, sharedPartitions, type Units } from './partitions.ts';

/** The requests whose ceilings are told. */
interface MeasuredRequest {
  readonly operationId: string;
  /** Said behind the operation. */
  readonly what?: string;
  readonly query?: string;
  /** Fields besides those of the example. */
  readonly fields?: JsonBody;
}

/** Free-form text that makes a record of less than 1 KB one of 1 to 2 KB. */
const ONE_KB = { metadata: { note: 'x'.repeat(1_000) } };

/** Entries of one level, instead of one entry. */
const LOG_BATCH = {
  ...{ level: undefined, message: undefined, metadata: undefined },
  entries: Array.from({ length: MOST_ENTRIES }, () => ({ level: 'info', message: 'The disk is nearly full' })),
};

const MEASURED_REQUESTS: readonly MeasuredRequest[] = [
  { operationId: 'createClient', what: 'up to 1 KB' },
  { operationId: 'createClient', what: 'up to 2 KB', fields: ONE_KB },
  { operationId: 'listClients' },
  { operationId: 'createResource' },
  { operationId: 'deleteResource' },
  { operationId: 'createTicket' },
  { operationId: 'createTicketMessage' },
  { operationId: 'ingestLog', what: 'up to 1 KB' },
  { operationId: 'ingestLog', what: `${MOST_ENTRIES} entries up to 1 KB`, fields: LOG_BATCH },
  { operationId: 'listLogs', query: '?level=warn' },
  { operationId: 'receiveWebhook' },
  { operationId: 'createIntegration' },
  { operationId: 'login' },
];

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
  for (const request of MEASURED_REQUESTS) loads.push(await sharedLoad(tenant, request, recorder));
  return loads;
}

async function sharedLoad(tenant: TestTenant, request: MeasuredRequest, recorder: Recorder): Promise<SharedLoad> {
  const first = await scenarioOf(tenant, request);
  const title = `${titleOf(first.route)}${queryWords(request)}${request.what === undefined ? '' : `, ${request.what}`}`;
  const play = (scenario: Scenario): Promise<Played> => playOnce(tenant, scenario, recorder, title);
  if (first.route.method === 'GET') await fill(tenant, await tenant.scenario(request.operationId));
  // Does not count: afterwards the lists exist, and the authorizer's response is cached.
  await expected(tenant, await scenarioOf(tenant, request));
  const { calls, footprint } = await play(first);
  const other = await play(await scenarioOf(tenant, request));
  const sibling = isOfParent(first) ? await play({ ...(await scenarioOf(tenant, request)), path: first.path }) : other;
  const { readUnits: read, writeUnits: write } = costOf(calls);
  return {
    title,
    units: { read, write },
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
