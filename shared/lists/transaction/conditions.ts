import { isDeepStrictEqual } from 'node:util';
import { type Item, TTL_ATTRIBUTE } from '../schema.ts';
import { ELEMENT_PATH } from './expressions.ts';
import type { Condition } from './pending-write.ts';

/**
 * Whether an item meets a condition, by the same rules as DynamoDB evaluates the expression that `expressions.ts` makes of it. For items that
 * were read, or returned with a failed condition.
 */
export function isMet(condition: Condition, item: Item | undefined): boolean {
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
  return item === undefined || (expiredBefore !== undefined && Number(item[TTL_ATTRIBUTE]) < expiredBefore);
}

const holdsAll = (found: unknown, wanted: readonly (readonly string[])[]): boolean =>
  wanted.length === 0
    ? found !== undefined
    : Array.isArray(found) && wanted.every((group) => group.some((each) => found.includes(each)));
