import { type Item, schema } from '@custodia/counted-lists';
import { declaredOf, exportedKinds } from './export.ts';
import type { Change } from './maintenance/restore/differences.ts';

/** Counts of what a restoration writes or would write. */
export interface RestoreChanges {
  /** By type of record, as in an export. */
  readonly records: Readonly<Record<string, Counts>>;
  /** Items that are no records: sets of lists, claims of unique values, ids of requests and events. */
  readonly other_items: number;
  /** Write units of DynamoDB, without those of the verification. */
  readonly write_units: number;
}

interface Counts {
  /** Records that exist only in the copy. */
  readonly brought_back: number;
  readonly changed_back: number;
  /** Records that were created after the copy. */
  readonly removed: number;
}

const NONE: Counts = { brought_back: 0, changed_back: 0, removed: 0 };

/** Names of records in the OpenAPI document, by the entity's name. */
const TYPES = new Map(
  exportedKinds
    .flatMap(({ entity, below }) => [entity, ...below])
    .map((entity) => [entity.name, declaredOf(entity).name]),
);

export class RestoreCounts {
  readonly #records = new Map<string, Counts>();
  readonly #onChange: (items: number) => void;
  #others = 0;
  #units = 0;
  items = 0;

  constructor(onChange: (items: number) => void = () => undefined) {
    this.#onChange = onChange;
  }

  readonly add = (partition: string, change: Change): void => {
    this.items += 1;
    this.#units += unitsOf(change);
    const what = whatHappens(change);
    const type = what && TYPES.get(entityOf(partition));
    if (type === undefined || what === undefined) this.#others += 1;
    else {
      const counts = this.#records.get(type) ?? NONE;
      this.#records.set(type, { ...counts, [what]: counts[what] + 1 });
    }
    this.#onChange(this.items);
  };

  get changes(): RestoreChanges {
    const records = Object.fromEntries([...this.#records].toSorted(([one], [other]) => one.localeCompare(other)));
    return { records, other_items: this.#others, write_units: this.#units };
  }
}

/** The kind of change of a record. Undefined where no record changes; a tombstone may. */
function whatHappens(change: Change): keyof Counts | undefined {
  const [was, is] = [isNamed(change.before), change.kind === 'put' && isNamed(change.item)];
  if (is) return was ? 'changed_back' : 'brought_back';
  return was ? 'removed' : undefined;
}

const isNamed = (item: Item | undefined): boolean => schema.isRecord(item) && 'id' in item;

/**
 * The entity of a partition: `ORG#<tenant>#TICKET`, or with a parent record `ORG#<tenant>#TICKET#<id>#MESSAGE`. Other
 * partitions name no entity.
 */
function entityOf(partition: string): string {
  const [, , entity = '', id, below, ...rest] = partition.split('#');
  if (id === undefined) return entity;
  return rest.length === 0 ? (below ?? '') : '';
}

/**
 * A write unit is 1 KB of the larger one of both items:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 */
const unitsOf = (change: Change): number =>
  Math.max(
    ...[change.before, change.kind === 'put' ? change.item : undefined].map((item) =>
      item === undefined ? 0 : Math.ceil(sizeOf(item) / 1024),
    ),
  );

/** The approximate size of an item: names and values as text. */
const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + textSize(value), 0);

const textSize = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).reduce((sum, [name, each]) => sum + Buffer.byteLength(name) + textSize(each), 3)
    : Buffer.byteLength(String(value));
