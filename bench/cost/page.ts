import { type MarkdownTable, markdown } from '../../generate/markdown.ts';
import { withText } from '../../generate/places.ts';
import type { Usage } from '../../local/dynamodb/usage.ts';
import { assumedTable } from './assumptions.ts';
import { deliveryTable } from './deliveries.ts';
import type { Taken } from './lines.ts';
import { memoryTable } from './memory.ts';
import { MIXES } from './mixes.ts';
import { PRICED_ON } from './prices.ts';
import type { Profiles } from './profiles.ts';
import {
  costPerTenantTable,
  idleTable,
  keyTable,
  lineTable,
  logEntryTable,
  mixList,
  priceTable,
  remedyTable,
  takenTable,
  warmThroughputTable,
  wordTable,
} from './tables.ts';
import { turnTable } from './turn.ts';

interface Measured {
  readonly requests: readonly Taken[];
  readonly turn: Usage;
  /** The page `docs/performance.md`. */
  readonly performance: string;
}

/** The page `docs/cost.md` with its figures. */
export function withCosts(page: string, measured: Measured, profiles: Profiles): string {
  const taken = new Map(measured.requests.map((one) => [one.title, one]));
  const { way } = profiles.standard;
  const places: Readonly<Record<string, MarkdownTable | string>> = {
    mixes: mixList(),
    lines: lineTable(taken, way),
    remedies: remedyTable(taken, way),
    'log-entries': logEntryTable(taken, way),
    words: wordTable(taken, way),
    memory: memoryTable(taken, way),
    turn: turnTable(measured.turn),
    deliveries: deliveryTable(measured.turn, measured.performance, profiles.standard.deliveries, way.logs),
    idle: idleTable(profiles),
    tenants: costPerTenantTable(MIXES[0], taken, profiles),
    'table-key': keyTable(),
    'warm-throughput': warmThroughputTable(),
    taken: takenTable(taken),
    assumed: assumedTable(),
    'priced-on': PRICED_ON,
    prices: priceTable(),
  };
  return Object.entries(places).reduce(
    (text, [place, made]) => withText(text, `cost:${place}`, typeof made === 'string' ? made : markdown(made)),
    page,
  );
}
