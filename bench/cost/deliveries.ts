import type { Template } from 'aws-cdk-lib/assertions';
import { TURN_MS } from '../../functions/events/deliveries/leased-turn.ts';
import { type MarkdownTable, rowsIn } from '../../generate/markdown.ts';
import { textAt } from '../../generate/places.ts';
import type { Usage } from '../../local/dynamodb/usage.ts';
import { ASSUMED } from './assumptions.ts';
import { dollarsForLogs, dollarsForRuns, type LogLines } from './lines.ts';
import { PRICES } from './prices.ts';
import { memoryOf } from './resources.ts';

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

const MILLION = 1_000_000;
const GB = 1_000_000_000;

/** The memory of the functions of deliveries, in MB. */
export interface DeliveryMemory {
  readonly worker: number;
  readonly bell: number;
}

/** @throws Error where the stage has no such functions */
export function deliveryMemoryIn(stage: readonly Template[]): DeliveryMemory {
  const [worker, bell] = ['deliveries', 'delivery-bell'].map((name) => memoryOf(stage, name));
  if (worker === undefined || bell === undefined) throw new Error('the stage delivers no events');
  return { worker, bell };
}

export function deliveryTable(turn: Usage, performance: string, memory: DeliveryMemory, logs: LogLines): MarkdownTable {
  const ways = [
    { title: 'an event at a time, each with a turn of its own', table: turn, calls: 1, turns: 1 },
    ...BATCH_SIZES.map((size) => waiting(size, performance)),
  ];
  return {
    head: ['', ...LINES, '**sum**'],
    rows: ways.map((way) => {
      const lines = linesOf(way, memory, logs);
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
function linesOf({ table, calls, turns }: Way, memory: DeliveryMemory, { lambda, own }: LogLines): number[] {
  const working = table.calls * ASSUMED.roundTripMs + calls * (ASSUMED.receiverMs + ASSUMED.ownMs);
  const ringing = ASSUMED.roundTripMs + ASSUMED.ownMs;
  return [
    JOURNAL_UNITS * PRICES.writeUnits.dollars,
    turns * REQUESTS_OF_MESSAGE * PRICES.queueRequests.dollars,
    turns * dollarsForRuns(working / turns / 1_000, memory.worker) +
      turns * dollarsForRuns(ringing / 1_000, memory.bell),
    table.readUnits * PRICES.readUnits.dollars + table.writeUnits * PRICES.writeUnits.dollars,
    dollarsForLogs(turns * (2 * lambda + own)),
    ((calls * ASSUMED.headerBytes + ASSUMED.eventBytes) * MILLION * PRICES.transfer.dollars) / GB,
  ];
}

const money = (dollars: number): string => `$${dollars.toFixed(2)}`;
