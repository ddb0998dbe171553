import { indexes as kinds } from '@custodia/counted-lists';
import { declaredValues } from '#contract/derived';
import { isFound, wantedWords, wordsOf } from '../../words.ts';
import { type TenantId, uniqueKey } from '../keys.ts';

/** By what the records of an entity are found and sorted, as its `store.ts` declares it (`docs/counted-lists.md`). */
export interface DeclaredIndex<F extends string = string> {
  readonly kind: 'set' | 'flag' | 'words' | 'exact' | 'order';
  /** Fields of the record that it is made of. */
  readonly fields: readonly F[];
  /** The counter that a flag follows. */
  readonly counter?: string;
  readonly in: (entity: Indexed, tenant: TenantId) => kinds.Finder;
}

/** What indexes know of their entity (`entity.ts`). */
interface Indexed {
  readonly name: string;
  readonly record?: { fieldOf(name: string): Parameters<typeof declaredValues>[0] };
  readonly unique: Readonly<Record<string, ((value: string) => string) | undefined>>;
}

/** The last list's indexes of each entity: a request needs them several times, and often so does the next one. */
const latest = new WeakMap<
  Indexed,
  { readonly tenant: TenantId; readonly list: string; readonly made: kinds.Indexes }
>();

/** The indexes of an entity's list. @param list partition of its records */
export function indexesOf(
  entity: Indexed & { readonly indexes: readonly DeclaredIndex[] },
  tenant: TenantId,
  list: string,
): kinds.Indexes {
  const known = latest.get(entity);
  if (known?.tenant === tenant && known.list === list) return known.made;
  const finders = entity.indexes.map((index) => index.in(entity, tenant));
  const made = new kinds.Indexes(list, finders);
  latest.set(entity, { tenant, list, made });
  return made;
}

/** Records by a field's values, in any combination with other sets: short texts, or the elements of a list. */
export const set = <const F extends string>(field: F): DeclaredIndex<F> => ({
  kind: 'set',
  fields: [field],
  in: (entity) => kinds.setIndex(field, () => isOpen(entity, field)),
});

/** By entity: fields by whether callers choose their values. */
const open = new WeakMap<Indexed, Map<string, boolean>>();

/** Whether callers choose the values of a field, by its contract. */
function isOpen(entity: Indexed, field: string): boolean {
  const { record } = entity;
  const known = open.get(entity) ?? new Map<string, boolean>();
  const is = known.get(field) ?? (record !== undefined && declaredValues(record.fieldOf(field)) === undefined);
  open.set(entity, known.set(field, is));
  return is;
}

/** Records of which something is true that follows from their other fields, or from a counter. */
export const flag = <const F extends string, const C extends string = never>(
  field: F,
  rule: ((record: never) => boolean) | { readonly counter: C },
): DeclaredIndex<F | C> => ({
  kind: 'flag',
  fields: [field],
  ...(typeof rule === 'function' ? {} : { counter: rule.counter }),
  in: () => kinds.flagIndex(field, rule),
});

/**
 * Records by the words of some fields (`q`). They are also found by the claims of unique fields. Where fields are added later, words must be built
 * again. Not for records that expire or are below others.
 * @param isLeftOut whether new records leave their words out, by a setting of the stage: then no list is found by words
 */
export const words = <const F extends string>(
  fields: readonly F[],
  { isLeftOut }: { readonly isLeftOut?: () => boolean } = {},
): DeclaredIndex<F> => ({
  kind: 'words',
  fields,
  in: (entity, tenant) =>
    kinds.wordsIndex({
      fields,
      isLeftOut,
      language: { wordsOf, wantedWords, isFound },
      claimed: () =>
        Object.entries(entity.unique).flatMap(([field, normalize]) =>
          normalize === undefined || (fields as readonly string[]).includes(field)
            ? []
            : [{ field, normalize, partition: uniqueKey(tenant, entity.name, field, '').PK }],
        ),
    }),
});

/** Few records, mostly one, by a field's exact value, which is not unique. */
export const exact = <const F extends string>(field: F): DeclaredIndex<F> => ({
  kind: 'exact',
  fields: [field],
  in: () => kinds.exactIndex(field),
});

/** How an item names a record: its key, and the attribute with the record's id. */
type NamingItem = ReturnType<Parameters<typeof kinds.claimedField>[1]>;

/**
 * The only record with a field's value: by the claim of a unique field, or by another item of the tenant.
 * @param itemOf the other item
 */
export const claimed = <const F extends string>(
  field: F,
  itemOf?: (tenant: TenantId, value: string) => NamingItem,
): DeclaredIndex<F> => ({
  kind: 'exact',
  fields: [field],
  in: (entity, tenant) => {
    if (itemOf !== undefined) return kinds.claimedField(field, (value) => itemOf(tenant, value));
    const claimOf = (value: string) => ({ key: uniqueKey(tenant, entity.name, field, value), id: 'holder' });
    // Only where it is asked for: what is unique takes the schema, which no other read needs.
    return kinds.claimedField(field, claimOf, (value) => normalized(entity, field, value));
  },
});

function normalized({ name, unique }: Indexed, field: string, value: string): string {
  const normalize = unique[field];
  if (normalize === undefined) throw new TypeError(`${name} ${field} is not unique`);
  return normalize(value);
}

/** All records in the order of a time, and those with one in a range. Not for records that expire or are below others. */
export const order = <const F extends string>(field: F): DeclaredIndex<F> => ({
  kind: 'order',
  fields: [field],
  in: () => kinds.orderIndex(field),
});
