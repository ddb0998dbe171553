import { isDeepStrictEqual } from 'node:util';
import { type Item, type Key, schema } from '@custodia/counted-lists';
import { PLATFORM, tenantPartition } from '#table';
import { listedEntity, organizationEntity, placeInList } from '#tenancy';
import { changed, type Look, NOTHING, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { lookAtNumber } from './number.ts';
import { readItem, readTogether } from './reading.ts';
import { readList } from './scan-records.ts';

/** Compares an organization with its copy in the platform's list. */
export async function verifyOrganization(scope: VerifyContext): Promise<Verified[]> {
  if (scope.tenant === PLATFORM) return [];
  const subject = { entity: organizationEntity.name, id: scope.tenant };
  const key = { PK: tenantPartition(scope.tenant, organizationEntity.name), SK: scope.tenant };
  const found = await verifyUntilStable(scope, subject, () => look(scope, key));
  if (!found.some(({ repaired }) => repaired)) return found;
  // A restored copy may still be counted as deleted.
  const number = placeInList((await readItem(scope, key)) ?? {})?.number ?? Number.NaN;
  const list = await readList(scope, listedEntity, PLATFORM);
  await verifyUntilStable(scope, subject, () => lookAtNumber(scope, list, number, []));
  return found;
}

async function look(scope: VerifyContext, key: Key): Promise<Look> {
  const [organization, copy] = await readTogether(scope, key, (item = {}) => {
    const place = placeInList(item);
    return place === undefined ? [] : [place.key];
  });
  if (organization === undefined) return NOTHING;
  const place = placeInList(organization);
  if (place === undefined) return { found: [['organization', 'has no place in the list of organizations']] };
  if (copy?.id !== undefined && copy.id !== scope.tenant)
    return { found: [['organization', `has its place in the list taken by ${String(copy.id)}`]] };

  const internal = schema.isRecord(copy) ? attributesOf(copy, isInternal) : { [schema.VERSION]: 1 };
  const right: Item & Key = {
    ...internal,
    ...attributesOf(organization, (name) => !isInternal(name)),
    ...place.key,
  };
  if (isDeepStrictEqual(right, copy)) return NOTHING;
  const wrong = Object.keys({ ...right, ...copy }).filter((name) => !isDeepStrictEqual(right[name], copy?.[name]));
  const text = `differs from its copy in the list of organizations: ${wrong.join(', ')}`;
  return {
    found: [['organization', copy?.id === undefined ? 'is missing in the list of organizations' : text]],
    repair: (work) => {
      const asRead = { equals: { [schema.VERSION]: organization[schema.VERSION] } };
      work.update(key, { condition: asRead, onConditionFailed: changed });
      work.put(right, changed, copy === undefined ? { exists: false } : { equals: copy });
    },
  };
}

const isInternal = (attribute: string): boolean => attribute.toUpperCase() === attribute;

const attributesOf = (item: Item, isWanted: (name: string) => boolean): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => isWanted(name)));
