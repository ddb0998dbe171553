import { randomUUID } from 'node:crypto';
import { MOST_ENTRIES } from '../../functions/logs/contract.ts';
import type { JsonBody, OrgAccess } from '../../test/support/api.ts';
import { forgetAppCodes, forgetIds } from '../../test/support/other-container.ts';
import { TestTenant } from '../../test/support/scenario.ts';
import { type Caller, expected, fill, type Played, playOnce, titleOf } from './play.ts';
import type { Recorder } from './recorder.ts';

/** Requests whose costs depend on more than their operation. */

/**
 * The most entries of a request, with levels by which no two of them enter one item of a set: what a batch takes at
 * most while entries are small.
 */
const LOG_ENTRIES = Array.from({ length: MOST_ENTRIES }, (_, index) => ({
  level: ['info', 'warn', 'error', 'debug'][(index + Math.floor(index / 32)) % 4],
  message: 'The disk is nearly full',
}));

/** As many as the subject of the example has, with one entry each. */
const EIGHT_WORDS = 'Printer in kitchen prints every receipt twice since';

/**
 * Further requests with bounds of their own: with bodies other than the example, and for the first record of a list.
 */
const VARIANTS: readonly Variant[] = [
  { operationId: 'updateTicket', what: 'eight other words of subject', body: { subject: EIGHT_WORDS } },
  // Its client has no risk before, and has one then.
  { operationId: 'updateResource', what: 'the first risk of its client', body: { cpu_usage: 97 } },
  {
    operationId: 'updateResource',
    what: 'status, health and usage',
    body: { status: 'maintenance', health_status: 'degraded', cpu_usage: 97, memory_usage: 61, storage_usage: 30 },
  },
  { operationId: 'updateResource', what: 'name only', body: { name: 'db-2' } },
  { operationId: 'updateClient', what: 'name only', body: { name: 'Bistro' } },
  { operationId: 'ingestLog', what: 'the very first' },
  { operationId: 'ingestLog', what: `${MOST_ENTRIES} entries`, body: { entries: LOG_ENTRIES } },
];

interface Variant {
  readonly operationId: string;
  readonly what: string;
  /** In place of the example. */
  readonly body?: JsonBody;
}

/** Plays the {@link VARIANTS} in a new organization. */
export async function playVariants(api: Caller, org: OrgAccess, recorder: Recorder): Promise<readonly Played[]> {
  const testTenant = new TestTenant(api, org);
  const played: Played[] = [];
  for (const { operationId, what, body } of VARIANTS) {
    const scenario = await testTenant.scenario(operationId);
    // Caches the authorizer's response for this route's caller.
    await expected(testTenant, await testTenant.scenario('listClients'));
    const sent = body === undefined ? scenario : { ...scenario, body };
    played.push(await playOnce(testTenant, sent, recorder, `${titleOf(scenario.route)}, ${what}`));
  }
  return [
    ...played,
    ...(await playUnderKey(testTenant, recorder)),
    ...(await playUnknownCode(testTenant, recorder)),
    ...(await playFeed(testTenant, recorder)),
    ...(await playSearches(testTenant, recorder)),
    ...(await playAlerts(testTenant, recorder)),
    ...(await playWithoutWords(testTenant, recorder)),
  ];
}

/** An alert from its beginning to its end, with the subject and the client of the example of a ticket. */
async function playAlerts(testTenant: TestTenant, recorder: Recorder): Promise<readonly Played[]> {
  const [scenario, ticket] = [await testTenant.scenario('receiveAlert'), await testTenant.scenario('createTicket')];
  const fields = {
    ...{ fingerprint: 'new', summary: ticket.body?.subject, description: ticket.body?.description },
    labels: { client_id: await testTenant.reference('Client') },
  };
  const played: Played[] = [];
  for (const [what, status] of [
    ['new', 'firing'],
    ['repeated', 'firing'],
    ['over', 'resolved'],
  ] as const) {
    const sent = { ...scenario, body: { ...fields, status } };
    played.push(await playOnce(testTenant, sent, recorder, `${titleOf(scenario.route)}, ${what}`));
  }
  return played;
}

/** A ticket of a stage whose tickets are not found by words (`ticketWords`). */
async function playWithoutWords(testTenant: TestTenant, recorder: Recorder): Promise<readonly Played[]> {
  const before = process.env.TICKET_WORDS;
  process.env.TICKET_WORDS = 'off';
  try {
    // The first one notes in the list that it has no words any more.
    await expected(testTenant, await testTenant.scenario('createTicket'));
    const scenario = await testTenant.scenario('createTicket');
    return [await playOnce(testTenant, scenario, recorder, `${titleOf(scenario.route)}, without words`)];
  } finally {
    process.env.TICKET_WORDS = before ?? '';
  }
}

/** What a follower of the feed asks for again and again. */
async function playFeed(testTenant: TestTenant, recorder: Recorder): Promise<readonly Played[]> {
  const scenario = await testTenant.scenario('listEvents');
  const latest = async (): Promise<string> =>
    `?after=${(await expected(testTenant, { ...scenario, path: `${scenario.path}?after=latest` })).body.next}`;
  const before = await latest();
  await fill(testTenant, await testTenant.scenario('listTerminals'));
  const queries = {
    'nothing new': await latest(),
    '16 events': `${before}&limit=16`,
    '16 events with their records': `${before}&limit=16&expand=record`,
  };
  const played: Played[] = [];
  for (const [what, query] of Object.entries(queries)) {
    const asked = { ...scenario, path: `${scenario.path}${query}` };
    played.push(await playOnce(testTenant, asked, recorder, `${titleOf(scenario.route)}, ${what}`));
  }
  return played;
}

/** Operations that find an integration by its app code, in a container that does not know the code. */
const BY_APP_CODE = ['login', 'receiveWebhook'] as const;

async function playUnknownCode(testTenant: TestTenant, recorder: Recorder): Promise<readonly Played[]> {
  const played: Played[] = [];
  for (const operationId of BY_APP_CODE) {
    await expected(testTenant, await testTenant.scenario(operationId));
    const scenario = await testTenant.scenario(operationId);
    await forgetAppCodes();
    played.push(await playOnce(testTenant, scenario, recorder, `${titleOf(scenario.route)}, in another container`));
  }
  return played;
}

/**
 * Plays a create under a new idempotency key, and twice more under the same key: where the container knows it, and
 * where it has to look it up.
 */
async function playUnderKey(testTenant: TestTenant, recorder: Recorder): Promise<readonly Played[]> {
  const { headers, ...scenario } = await testTenant.scenario('createTerminal');
  const keyed = { ...scenario, headers: { ...headers, 'idempotency-key': randomUUID() } };
  const title = titleOf(scenario.route);
  const first = await playOnce(testTenant, keyed, recorder, `${title}, with an idempotency key`);
  const again = await playOnce(testTenant, keyed, recorder, `${title}, repeated under its key`);
  forgetIds();
  return [first, again, await playOnce(testTenant, keyed, recorder, `${title}, repeated in another container`)];
}

interface Search {
  readonly operationId: string;
  /** What its records have besides the example. */
  readonly fields?: JsonBody;
  /** The parameters, from one of the records. */
  readonly query: (record: JsonBody) => Readonly<Record<string, unknown>>;
}

/** Lists as a day's work asks for them (`docs/tasks.md`), each with a full page. */
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
async function playSearches(testTenant: TestTenant, recorder: Recorder): Promise<readonly Played[]> {
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
