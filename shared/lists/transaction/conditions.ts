import { isDeepStrictEqual } from 'node:util';
import { type Item, TTL } from '../schema.ts';

/** A condition on an item. Attributes are named, or a member of an element of a list: `secrets[0].id`. */
export interface Condition {
  readonly exists?: boolean;
  /** Undefined: the attribute is absent. */
  readonly equals?: Readonly<Record<string, unknown>>;
  /** Like `equals`, but the attribute may be absent. */
  readonly equalsOrAbsent?: Readonly<Record<string, unknown>>;
  /** Numbers that are at most this, or absent. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** Numbers that are present and more than this. */
  readonly moreThan?: Readonly<Record<string, number>>;
  /** Lists that contain at least one value of each of these groups; null contains every value. */
  readonly holds?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** With `exists: false`: an item that expired before this time, in epoch seconds, counts as absent (TTL is lazy). */
  readonly expiredBefore?: number;
  /** Further conditions. */
  readonly and?: readonly Condition[];
  /** At least one of these must hold too. */
  readonly anyOf?: readonly Condition[];
}

/** A member of an element of a list, such as `secrets[0].id`. */
export const ELEMENT_PATH = /^(\w+)\[(\d+)\]\.(\w+)$/;

export const Condition = {
  /**
   * Whether an item meets a condition, by the same rules as DynamoDB evaluates the expression that `expressions.ts` makes of it. For items that
   * were read, or returned with a failed condition.
   */
  isMet,
};

function isMet(condition: Condition, item: Item | undefined): boolean {
  const every = <T>(wanted: Readonly<Record<string, T>> | undefined, isMetBy: (found: unknown, of: T) => boolean) =>
    Object.entries(wanted ?? {}).every(([attribute, of]) => isMetBy(valueAt(item, attribute), of));
  return (
    isPresenceMet(condition, item) &&
    every(condition.equals, isDeepStrictEqual) &&
    every(condition.equalsOrAbsent, (found, wanted) => found === undefined || isDeepStrictEqual(found, wanted)) &&
    every(condition.atMost, (found, most) => found === undefined || (typeof found === 'number' && found <= most)) &&
    every(condition.moreThan, (found, than) => typeof found === 'number' && found > than) &&
    every(condition.holds, (found, wanted) => found === null || holdsAll(found, wanted)) &&
    (condition.and ?? []).every((further) => isMet(further, item)) &&
    (condition.anyOf?.some((one) => isMet(one, item)) ?? true)
  );
}

function valueAt(item: Item | undefined, attribute: string): unknown {
  const [, list = '', index = '', member = ''] = ELEMENT_PATH.exec(attribute) ?? [];
  if (list === '') return item?.[attribute];
  const elements = item?.[list];
  return Array.isArray(elements) ? elements[Number(index)]?.[member] : undefined;
}

function isPresenceMet({ exists, expiredBefore }: Condition, item: Item | undefined): boolean {
  if (exists === undefined) return true;
  if (exists) return item !== undefined;
  return item === undefined || (expiredBefore !== undefined && Number(item[TTL]) < expiredBefore);
}

const holdsAll = (found: unknown, wanted: readonly (readonly string[])[]): boolean =>
  wanted.length === 0
    ? found !== undefined
    : Array.isArray(found) && wanted.every((group) => group.some((each) => found.includes(each)));
