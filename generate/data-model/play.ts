import { filtersOf, type Route } from '#contract';
import * as parameter from '#contract/parameter';
import type { Api, JsonBody, OrgAccess } from '../../test/support/api.ts';
import { operations, type Scenario, TestTenant } from '../../test/support/scenario.ts';
import { type Footprint, footprintOf } from '../ceilings/partitions.ts';
import type { Call, Recorder } from './recorder.ts';

/** The cost of one request of an operation. */
export interface Played {
  /** `GET /tickets?status=…` */
  readonly title: string;
  readonly calls: readonly Call[];
  /** Whether it returns a list. */
  readonly isPage: boolean;
  /** The parsed body of the response; undefined where there is none. */
  readonly reply: unknown;
  readonly footprint: Footprint;
}

export const roundTripsOf = (calls: readonly Call[]): Call[][] => [
  ...Map.groupBy(calls, ({ roundTrip }) => roundTrip).values(),
];

/** What a request took. */
export const costOf = (calls: readonly Call[]) => ({
  roundTrips: roundTripsOf(calls).length,
  readUnits: calls.reduce((sum, { readUnits }) => sum + readUnits, 0),
  writeUnits: calls.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
});

/** Records in each list, which is a full page. */
const FULL_PAGE = 25;

export type Caller = Pick<Api, 'request' | 'platformToken'>;

/**
 * Plays every operation of the contracts once, or those that are chosen, on lists that hold a full page. Plays a list
 * with filters again with its first filter, and with the words of a text where it takes them.
 */
export async function playAll(
  api: Caller,
  org: OrgAccess,
  recorder: Recorder,
  onPlay: (text: string) => void,
  isChosen: (route: Route) => boolean = () => true,
): Promise<readonly Played[]> {
  const testTenant = new TestTenant(api, org);
  const played: Played[] = [];
  const chosen = operations.filter(([, route]) => isChosen(route));
  for (const [index, [operationId, route]] of chosen.entries()) {
    onPlay(`operation ${index + 1} of ${chosen.length}: ${titleOf(route)}`);
    // One request that does not count: afterwards the authorizer's response is cached, and the counter items of the
    // lists exist.
    await expected(testTenant, await testTenant.scenario(operationId));
    const scenario = await testTenant.scenario(operationId);
    if (isList(route)) await fill(testTenant, scenario);
    const one = await playOnce(testTenant, scenario, recorder, titleOf(route));
    played.push(one);
    if (!isList(route)) continue;
    const [first = {}] = (one.reply as { readonly data: readonly JsonBody[] }).data;
    const [filter, ...others] = filtersOf(route);
    const asked = [filter, ...others.filter((name) => name === parameter.WORDS)].filter((name) => name !== undefined);
    for (const name of asked) {
      const value = name === parameter.WORDS ? (first.name ?? first.subject) : first[name];
      if (value === undefined) continue;
      const filtered = { ...scenario, path: `${scenario.path}?${name}=${encodeURIComponent(String(value))}` };
      played.push(await playOnce(testTenant, filtered, recorder, `${titleOf(route)}?${name}=…`));
    }
  }
  return played;
}

export async function playOnce(
  testTenant: TestTenant,
  scenario: Scenario,
  recorder: Recorder,
  title: string,
): Promise<Played> {
  const replies: JsonBody[] = [];
  const calls = await recorder.record(async () => replies.push((await expected(testTenant, scenario)).body));
  const footprint = await footprintOf(calls, recorder.table);
  return { title, calls, isPage: isList(scenario.route), reply: replies[0], footprint };
}

export const titleOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method} ${path.replace(/^\/api\/v1/, '')}`;

const isList = ({ method, response }: Route): boolean =>
  method === 'GET' && Array.isArray((response.example as JsonBody | undefined)?.data);

/**
 * Fills the list of a scenario by the operation that creates at the same path, or by another where the list has one.
 */
export async function fill(testTenant: TestTenant, { route, path }: Scenario): Promise<void> {
  const [sibling] = operations.find(([, other]) => other.method === 'POST' && other.path === route.path) ?? [];
  const operationId = sibling ?? FILLED_BY[route.path];
  if (operationId === undefined) return;
  for (let made = 0; made < (FEWER[route.path] ?? FULL_PAGE); made++) {
    const scenario = await testTenant.scenario(operationId);
    await expected(testTenant, sibling === undefined ? within(path, scenario) : { ...scenario, path });
  }
}

/** Records of a list that must not be longer, with those that its operations make. */
const FEWER: Readonly<Record<string, number>> = {
  '/api/v1/identity-providers': 10,
  '/api/v1/users/{id}/identities': 8,
};

/** A request that creates a record for the list at a path, of the list's user where it has one. */
const within = (path: string, scenario: Scenario): Scenario => {
  const [, user_id] = /\/users\/([^/]+)\/memberships$/.exec(path) ?? [];
  return user_id === undefined ? scenario : { ...scenario, body: { ...scenario.body, user_id } };
};

const FILLED_BY: Readonly<Record<string, string>> = {
  '/api/v1/logs': 'ingestLog',
  '/api/v1/webhook-events': 'receiveWebhook',
  '/api/v1/users/{id}/memberships': 'createMembership',
};

export async function expected(testTenant: TestTenant, scenario: Scenario) {
  const reply = await testTenant.send(scenario);
  if (reply.status >= 300) {
    throw new Error(`${scenario.route.method} ${scenario.path} answered ${reply.status} ${JSON.stringify(reply.body)}`);
  }
  return reply;
}
