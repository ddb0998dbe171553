import type { JsonBody } from '../../test/support/api.ts';
import type { TestTenant } from '../../test/support/scenario.ts';
import { expected, fill, type Played, playOnce, titleOf } from './play.ts';
import type { Recorder } from './recorder.ts';

/** Lists as a day's work asks for them (`docs/tasks.md`), each with a full page. */

interface Search {
  readonly operationId: string;
  /** What its records have besides the example. */
  readonly fields?: JsonBody;
  /** The parameters, from one of the records. */
  readonly query: (record: JsonBody) => Readonly<Record<string, unknown>>;
}

const SEARCHES: readonly Search[] = [
  { operationId: 'listTickets', query: () => ({ q: 'card reader' }) },
  { operationId: 'listTickets', query: ({ ticket_code }) => ({ ticket_code }) },
  { operationId: 'listTickets', query: () => ({ status: 'open,pending' }) },
  { operationId: 'listTickets', query: () => ({ sort: '-last_activity_at' }) },
  { operationId: 'listClients', query: ({ slug }) => ({ slug }) },
  { operationId: 'listUsers', query: ({ email }) => ({ email }) },
  {
    operationId: 'listResources',
    fields: { external_id: 'i-0a1b2c3d' },
    query: ({ external_id }) => ({ external_id }),
  },
  {
    operationId: 'listResources',
    fields: { tags: ['production', 'database'] },
    query: () => ({ tag: ['production', 'database'] }),
  },
];

/** Plays the {@link SEARCHES}, with one record more than a full page, which has the fields. */
export async function playSearches(testTenant: TestTenant, recorder: Recorder): Promise<readonly Played[]> {
  const played: Played[] = [];
  for (const { operationId, fields = {}, query } of SEARCHES) {
    const scenario = await testTenant.scenario(operationId);
    await fill(testTenant, scenario);
    const creation = await testTenant.scenario(operationId.replace(/^list(\w+)s$/, 'create$1'));
    const { body } = await expected(testTenant, { ...creation, body: { ...creation.body, ...fields } });
    const asked = Object.entries(query(body)).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    );
    const search = { ...scenario, path: `${scenario.path}?${new URLSearchParams(asked)}` };
    const title = `${titleOf(scenario.route)}?${asked.map(([name, value]) => `${name}=${shown(name, value)}`).join('&')}`;
    played.push(await playOnce(testTenant, search, recorder, title));
  }
  return played;
}

/** `open,pending` is `…,…`, and an order as it is. */
const shown = (name: string, value: string): string => (name === 'sort' ? value : value.replace(/[^ ,]+/g, '…'));
