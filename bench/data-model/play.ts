import type { Route } from '../../shared/contract/route.ts';
import type { Api, JsonBody, OrgAccess } from '../../test/support/api.ts';
import { operations, type Scenario, World } from '../../test/support/scenario.ts';
import type { Call, Recorder } from './recorder.ts';

/** What one request of an operation cost. */
export interface Played {
  /** `GET /tickets?status=…` */
  readonly title: string;
  readonly calls: readonly Call[];
}

/** Records in each list, which is a full page. */
const FULL_PAGE = 25;

/** Parameters of lists that pick no records. */
const NO_FILTER = new Set(['page', 'page_size', 'sort', 'after', 'org_id']);

type Caller = Pick<Api, 'request' | 'platformToken'>;

/**
 * Plays every operation of the contracts once, and every list with filters once more with the first of them, on lists that
 * hold a full page.
 */
export async function playAll(api: Caller, org: OrgAccess, recorder: Recorder): Promise<readonly Played[]> {
  const world = new World(api, org);
  const played: Played[] = [];
  for (const [operationId, route] of operations) {
    // Once before it counts: then the authorizer's answer is in its cache, and the heads of the lists are there.
    await expected(world, await world.scenario(operationId));
    const scenario = await world.scenario(operationId);
    if (isList(route)) await fill(world, scenario);
    const answer: { body?: JsonBody } = {};
    const calls = await recorder.record(async () => Object.assign(answer, await expected(world, scenario)));
    played.push({ title: titleOf(route), calls });
    if (!isList(route)) continue;
    const filter = Object.keys(route.query.shape).find((name) => !NO_FILTER.has(name));
    const [first] = (answer.body?.data ?? []) as JsonBody[];
    if (filter !== undefined && first?.[filter] !== undefined) {
      const filtered = { ...scenario, path: `${scenario.path}?${filter}=${String(first[filter])}` };
      const title = `${titleOf(route)}?${filter}=…`;
      played.push({ title, calls: await recorder.record(() => expected(world, filtered)) });
    }
  }
  return played;
}

export const titleOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method} ${path.replace(/^\/api\/v1/, '')}`;

const isList = ({ method, response }: Route): boolean =>
  method === 'GET' && Array.isArray((response.example as JsonBody | undefined)?.data);

/** Fills the list of a scenario by the operation that creates at the same path, or by another where the list has one. */
async function fill(world: World, { route, path }: Scenario): Promise<void> {
  const [sibling] = operations.find(([, other]) => other.method === 'POST' && other.path === route.path) ?? [];
  const operationId = sibling ?? FILLED_BY[route.path];
  if (operationId === undefined) return;
  for (let made = 0; made < FULL_PAGE; made++) {
    const scenario = await world.scenario(operationId);
    await expected(world, sibling === undefined ? scenario : { ...scenario, path });
  }
}

const FILLED_BY: Readonly<Record<string, string>> = {
  '/api/v1/logs': 'ingestLog',
  '/api/v1/webhook-events': 'receiveWebhook',
};

async function expected(world: World, scenario: Scenario) {
  const answer = await world.send(scenario);
  if (answer.status >= 300) {
    throw new Error(
      `${scenario.route.method} ${scenario.path} answered ${answer.status} ${JSON.stringify(answer.body)}`,
    );
  }
  return answer;
}
