import { isDeepStrictEqual } from 'node:util';
import { type Item, schema } from '@custodia/counted-lists';
import { EVENTS } from '#table/storage';

/** The writes that make a partition equal to that of a copy of the table. */

export type Change =
  /** `before` is undefined where nothing is there now. */
  | { readonly kind: 'put'; readonly item: Item; readonly before: Item | undefined }
  | { readonly kind: 'delete'; readonly before: Item };

export interface Rules {
  /** Now, in epoch seconds: expired items count as missing in both tables. */
  readonly now: number;
  /** Lowest version of a restored record. */
  readonly version: number;
  /** Only adds missing items; existing items stay as they are. */
  readonly isAddedTo: boolean;
}

/**
 * Compares the items of a partition, both in the order of their sort keys. A record that differs only in its version,
 * because it was changed back or already restored, stays: so an interrupted restoration continues where it was, and
 * entity tags never repeat.
 */
export async function* differences(
  copy: AsyncIterator<Item>,
  present: AsyncIterator<Item>,
  rules: Rules,
): AsyncGenerator<Change> {
  const next = async (from: AsyncIterator<Item>): Promise<Item | undefined> => {
    for (;;) {
      const { value, done } = await from.next();
      if (done) return undefined;
      if (!hasExpired(value, rules)) return value;
    }
  };
  let [old, now] = await Promise.all([next(copy), next(present)]);
  while (old !== undefined || now !== undefined) {
    const order = compare(old, now);
    const change = changeOf(order > 0 ? undefined : old, order < 0 ? undefined : now, rules);
    if (change !== undefined) yield change;
    [old, now] = await Promise.all([order > 0 ? old : next(copy), order < 0 ? now : next(present)]);
  }
}

const hasExpired = ({ [schema.TTL]: expires }: Item, { now }: Rules): boolean =>
  expires !== undefined && Number(expires) <= now;

/** Compares texts as DynamoDB does, by their bytes. A missing one comes last. */
function compare(one: Item | undefined, other: Item | undefined): number {
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
  return Buffer.compare(Buffer.from(String(one.SK)), Buffer.from(String(other.SK)));
}

function changeOf(old: Item | undefined, now: Item | undefined, rules: Rules): Change | undefined {
  if (old === undefined) return now === undefined || rules.isAddedTo ? undefined : { kind: 'delete', before: now };
  if (now === undefined) return { kind: 'put', item: restored(old, now, rules), before: now };
  if (rules.isAddedTo || isSame(old, now)) return undefined;
  return { kind: 'put', item: restored(old, now, rules), before: now };
}

const isSame = (old: Item, now: Item): boolean =>
  isDeepStrictEqual(essence(old), essence(now)) && Number(now[schema.VERSION] ?? 0) >= Number(old[schema.VERSION] ?? 0);

const essence = ({ [schema.VERSION]: _, [schema.WRITE_ID]: __, [EVENTS]: ___, ...item }: Item): Item => item;

/** A copied record, in a version that no caller has seen. Its history stays, as the journal does. */
function restored(old: Item, now: Item | undefined, { version }: Rules): Item {
  const { [schema.VERSION]: before, ...item } = old;
  if (before === undefined) return old;
  const history = now?.[EVENTS] === undefined ? {} : { [EVENTS]: now[EVENTS] };
  const raised = Math.max(version, Number(before) + 1, Number(now?.[schema.VERSION] ?? 0) + 1);
  return { ...item, ...history, [schema.VERSION]: raised };
}
