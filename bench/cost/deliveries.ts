import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { addingTo, createTable, localConnection, meter, startDynamoDb } from '#local-dynamodb';
import { TURN_MS } from '../../functions/events/deliveries/leased-turn.ts';
import { work } from '../../functions/events/deliveries/work.ts';
import { type MarkdownTable, rowsIn } from '../../generate/markdown.ts';
import { textAt } from '../../generate/places.ts';
import type { Usage } from '../../local/dynamodb/usage.ts';
import { DeliveryWorld } from '../../test/support/delivery-world.ts';
import { ASSUMED } from './assumptions.ts';
import { dollarsForLogs, dollarsForRuns, GB, LOG_LINES, MILLION } from './lines.ts';
import { PRICES } from './prices.ts';
import type { Profile } from './stage.ts';

/** What delivering a million events costs, by how they come. */

/** What a delivered event takes. */
interface Way {
  readonly title: string;
  readonly table: Usage;
  /** Calls of the receiver. */
  readonly calls: number;
  readonly turns: number;
}

/** Numbers of events in a delivery, as in `docs/performance.md`. */
const BATCH_SIZES = [1, 100] as const;

/** Units of the event itself, which a change pays for with and without endpoints (`docs/decisions/0201-events.md`). */
const JOURNAL_UNITS = 3;

/** A message is sent, received and deleted. */
const REQUESTS_OF_MESSAGE = 3;

export function deliveryTable(turn: Usage, performance: string, stage: Profile): MarkdownTable {
  const ways = [
    { title: 'an event at a time, each with a turn of its own', table: turn, calls: 1, turns: 1 },
    ...BATCH_SIZES.map((size) => waiting(size, performance)),
  ];
  return {
    head: ['', ...LINES, '**sum**'],
    rows: ways.map((way) => {
      const lines = linesOf(way, stage);
      const sum = lines.reduce((total, each) => total + each, 0);
      return [way.title, ...lines.map(money), `**${money(sum)}**`];
    }),
  };
}

/** Events that wait are delivered one batch after another, in turns of full length. */
function waiting(size: (typeof BATCH_SIZES)[number], performance: string): Way {
  const cells = rowsIn(textAt(performance, 'bench:deliveries')).get(String(size)) ?? [];
  const [calls = Number.NaN, readUnits = Number.NaN, writeUnits = Number.NaN] = cells.slice(4).map(Number);
  if (Number.isNaN(calls + readUnits + writeUnits)) throw new Error(`docs/performance.md has no batches of ${size}`);
  return {
    title: size === 1 ? 'a backlog, one by one' : `a backlog, in batches of ${size}`,
    table: { calls, readUnits, writeUnits },
    calls: 1 / size,
    turns: ASSUMED.receiverMs / TURN_MS / size,
  };
}

const LINES = ['journal', 'queue', 'functions', 'table', 'logs', 'transfer'] as const;

/** Dollars for a million events, as {@link LINES} names them. */
function linesOf({ table, calls, turns }: Way, { worker, wakeUp }: Profile): number[] {
  const working = table.calls * ASSUMED.roundTripMs + calls * (ASSUMED.receiverMs + ASSUMED.ownMs);
  const waking = ASSUMED.roundTripMs + ASSUMED.ownMs;
  return [
    JOURNAL_UNITS * PRICES.writeUnits.dollars,
    turns * REQUESTS_OF_MESSAGE * PRICES.queueRequests.dollars,
    turns * dollarsForRuns(working / turns / 1_000, worker) + turns * dollarsForRuns(waking / 1_000, wakeUp),
    table.readUnits * PRICES.readUnits.dollars + table.writeUnits * PRICES.writeUnits.dollars,
    dollarsForLogs(turns * (2 * LOG_LINES.lambda + LOG_LINES.own)),
    ((calls * ASSUMED.headerBytes + ASSUMED.eventBytes) * MILLION * PRICES.transfer.dollars) / GB,
  ];
}

const money = (dollars: number): string => `$${dollars.toFixed(2)}`;

/** What a turn of the worker takes of the table that delivers one event and finds no other. */
const TITLE = 'a turn that delivers one event';

export async function measureTurn(): Promise<Usage> {
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine: 'dynoxide' });
  try {
    const { endpoint } = dynamoDb;
    const client = new DynamoDBClient(localConnection(endpoint));
    const tableName = 'turn';
    await createTable(endpoint, tableName);
    const world = new DeliveryWorld({ client, tableName, endpoint });
    meter(world.table);
    const organization = await world.organization();
    await organization.endpoint();
    const turn = async (usage: Usage): Promise<Usage> => {
      await organization.change();
      await addingTo(usage, () => work({ tenant: organization.id }, world.worker()));
      return usage;
    };
    // With the first one, items of lists are made.
    await turn(nothing());
    return await turn(nothing());
  } finally {
    await dynamoDb.stop();
  }
}

const nothing = (): Usage => ({ calls: 0, readUnits: 0, writeUnits: 0 });

export const turnTable = ({ calls, readUnits, writeUnits }: Usage): MarkdownTable => ({
  head: ['', 'calls', 'read units', 'write units'],
  rows: [[TITLE, ...[calls, readUnits, writeUnits].map(String)]],
});

/** The figures of the page. @throws Error where it has none */
export function turnIn(text: string): Usage {
  const [, ...cells] = rowsIn(text).get(TITLE) ?? [];
  const [calls = Number.NaN, readUnits = Number.NaN, writeUnits = Number.NaN] = cells.map(Number);
  if (Number.isNaN(calls + readUnits + writeUnits)) throw new Error(`the page does not say what ${TITLE} takes`);
  return { calls, readUnits, writeUnits };
}
