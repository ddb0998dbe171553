import { type Item, readPartition, schema } from '#lists';
import { PLATFORM, recordsPartition } from '#table/keys';
import { MOVES, toRecord } from '#table/storage';
import { quotaKey } from '#tenancy/keys';
import {
  type Comparison,
  changed,
  type Difference,
  Moved,
  type Verified,
  type VerifyContext,
  verifyUntilStable,
} from './difference.ts';
import type { Kind } from './kinds.ts';
import { readItem } from './reading.ts';
import type { Visitor } from './scan-records.ts';

type Counts = Readonly<Record<string, number>>;

/** Verifies an organization's quota of records of a kind: its active integrations. Counted in a scan, and again where the results differ. */
export class Quota {
  readonly #scope: VerifyContext;
  readonly #kind: Kind;
  readonly #scanned: Record<string, number>;

  constructor(scope: VerifyContext, kind: Kind) {
    this.#scope = scope;
    this.#kind = kind;
    this.#scanned = Object.fromEntries(this.#attributes.map((attribute) => [attribute, 0]));
  }

  readonly visit: Visitor = (item) => this.#count(item, this.#scanned);

  async verify(): Promise<Verified[]> {
    // The platform has no quotas.
    if (this.#attributes.length === 0 || this.#scope.tenant === PLATFORM) return [];
    const stored = this.#countsIn(await this.#read());
    if (this.#wrong(stored, this.#scanned).length === 0) return [];
    return verifyUntilStable(this.#scope, () => this.#look());
  }

  /** Counts again. If `MOVES` is the same before and after, no record that counts has come or gone in between. */
  async #look(): Promise<Comparison | Moved> {
    const { entity } = this.#kind;
    const before = await this.#read();
    const counted = await this.#recount();
    const after = await this.#read();
    if (after?.[MOVES] !== before?.[MOVES])
      return new Moved({ entity: entity.name, text: `the quota of ${entity.name} changes too fast to be counted` });
    const stored = this.#countsIn(before);
    const wrong = this.#wrong(stored, counted);
    const differences = wrong.map(
      (field): Difference => ({
        kind: 'counter',
        entity: entity.name,
        field,
        text: `the quota of ${entity.name} has ${field} ${stored[field]}, counted are ${counted[field]}`,
      }),
    );
    if (wrong.length === 0) return { differences };
    const asRead = Object.fromEntries(
      [...this.#attributes, MOVES].map((attribute) => [attribute, before?.[attribute]]),
    );
    return {
      differences,
      repair: (work) =>
        work.update(this.#key, {
          set: Object.fromEntries(wrong.map((field) => [field, counted[field]])),
          condition: { equals: asRead },
          onConditionFailed: changed,
        }),
    };
  }

  async #recount(): Promise<Counts> {
    const { tenant } = this.#scope;
    const counts = Object.fromEntries(this.#attributes.map((attribute) => [attribute, 0]));
    for await (const item of readPartition(this.#scope, recordsPartition(tenant, this.#kind.entity.name)))
      if (schema.isRecord(item)) this.#count(item, counts);
    return counts;
  }

  #count(item: Item, counts: Record<string, number>): void {
    const { entity, quota } = this.#kind;
    for (const [attribute, isCounted] of Object.entries(quota))
      if (isCounted(toRecord(entity, item))) counts[attribute] = (counts[attribute] ?? 0) + 1;
  }

  #wrong(stored: Counts, counted: Counts): string[] {
    return this.#attributes.filter((attribute) => stored[attribute] !== counted[attribute]);
  }

  #countsIn(item: Item = {}): Counts {
    return Object.fromEntries(this.#attributes.map((attribute) => [attribute, Number(item[attribute] ?? 0)]));
  }

  #read(): Promise<Item | undefined> {
    return readItem(this.#scope, this.#key);
  }

  get #attributes(): string[] {
    return Object.keys(this.#kind.quota);
  }

  get #key() {
    return quotaKey(this.#scope.tenant, this.#kind.entity.name);
  }
}
