import type { Table } from '@custodia/counted-lists';
import { numbersIn } from './audit.ts';
import type { FreshTable } from './dynamodb.ts';
import { tableAt } from './storage.ts';
import { dumpOf, type RawItem } from './table-dump.ts';

/**
 * All items of an organization as texts that do not depend on when and in which order its records were written: ids and
 * numbers are replaced by the names of their records, and times and marks of writes are left out. Two organizations
 * that were given the same have the same.
 */
export async function canonicalDumpOf(place: FreshTable, orgId: string): Promise<string[]> {
  const items = (await dumpOf(place)).filter(({ PK }) => PK?.S?.startsWith(`ORG#${orgId}#`) && !LEFT_OUT.test(PK.S));
  const names = new Names(orgId, items);
  const table = tableAt(place);
  const partitions = new Set(items.map(({ PK }) => PK?.S ?? ''));
  const sets = [...partitions].filter((partition) => /#[^#]*=[^#]*#SET$/.test(partition));
  const ofSets = await Promise.all(sets.map((partition) => setOf(table, partition, names)));
  const others = items.filter(({ PK }) => !PK?.S?.endsWith('#SET')).map((item) => names.canonical(item));
  return [...others, ...ofSets].filter((text) => text !== '').sort();
}

/** What is not the records', their lists' or their events': requests by day, and what belongs to the organization and its credentials. */
const LEFT_OUT = /#(BUDGET|CREDENTIALS|AUDIT_EVENT|AUDIT_EVENT#.*|INTEGRATION|INTEGRATION#.*|QUOTA|ORG|READS)$/;

/** The members of a set; nothing where it has none any more. */
async function setOf(table: Table, partition: string, names: Names): Promise<string> {
  const members = (await numbersIn(table, partition)).map((number) => names.ofNumber(partition, number));
  return members.length === 0 ? '' : `${names.replaced(partition)}: ${members.toSorted().join(', ')}`;
}

/** Attributes that tell times, numbers or writes. A client's `last_contact` is written beside the transaction, and a crash may leave it out. */
const OF_WRITES = ['EVENTS', 'WRITE_ID', 'TTL', 'AT', 'encrypted', 'last_contact', 'PK', 'SK'];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g;

/** The name of a number without a record. */
const UNKNOWN = '<number>';

class Names {
  readonly #orgId: string;
  /** By id, and by partition and number. */
  readonly #names = new Map<string, string>();

  constructor(orgId: string, items: readonly RawItem[]) {
    this.#orgId = orgId;
    for (const { PK, SK, id, name, subject, location } of items) {
      const [, , entity, below] = PK?.S?.split('#') ?? [];
      if (below !== undefined || id?.S === undefined || entity === 'EVENT') continue;
      const called = `<${entity} ${[name?.S, subject?.S, location?.S].filter(Boolean).join('/')}>`;
      this.#names.set(id.S, called);
      this.#names.set(`${entity} ${SK?.S}`, called);
    }
  }

  /** @param partition that of a set or index of the record's list */
  ofNumber(partition: string, number: number): string {
    return this.#ofSortKey(partition, number.toString(16).padStart(12, '0'));
  }

  #ofSortKey(partition: string, sortKey: string): string {
    const [, , entity = ''] = partition.split('#');
    return this.#names.get(`${entity} ${sortKey}`) ?? UNKNOWN;
  }

  replaced(text: string): string {
    return text
      .replaceAll(this.#orgId, '<organization>')
      .replaceAll(UUID, (id) => this.#names.get(id) ?? '<id>')
      .replaceAll(TIME, '<time>');
  }

  canonical(item: RawItem): string {
    const [partition, sortKey] = [item.PK?.S ?? '', item.SK?.S ?? ''];
    const [text, number] = sortKey.split('\n');
    const record = number === undefined ? undefined : this.#ofSortKey(partition, number);
    // Entries of a writer that has crashed, which count for nothing.
    if (record === UNKNOWN) return '';
    const place = record === undefined ? this.#ofPlain(partition, sortKey) : `${text}\n${record}`;
    const attributes = Object.entries(item)
      .filter(([name]) => !OF_WRITES.includes(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return this.replaced(`${partition} ${place} ${JSON.stringify(attributes)}`);
  }

  /** Numbers of records that are in the order of their times begin with these. */
  #ofPlain(partition: string, sortKey: string): string {
    if (/^[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(sortKey)) return '<time>';
    return /^[0-9a-f]{12}$/.test(sortKey) ? this.#ofSortKey(partition, sortKey) : sortKey;
  }
}
