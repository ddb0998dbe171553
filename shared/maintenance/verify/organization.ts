import { isDeepStrictEqual } from 'node:util';
import { type Item, schema, type UnitOfWork } from '#lists';
import { PLATFORM, recordsPartition } from '#table/keys';
import { indexesOf } from '#table/storage';
import { copyKeyOf, LISTED_AS, listedEntity, organizationEntity } from '#tenancy';
import {
  type Comparison,
  changed,
  type Difference,
  Moved,
  type Verified,
  type VerifyContext,
  verifyUntilStable,
} from './difference.ts';
import { lookAtNumber } from './number.ts';
import { readItem, readTogether } from './reading.ts';
import { readCounterWithRetries } from './scan-records.ts';

/** Compares an organization with its copy in the platform's list. */
export async function verifyOrganization(scope: VerifyContext): Promise<Verified[]> {
  if (scope.tenant === PLATFORM) return [];
  const found = await verifyUntilStable(scope, () => look(scope));
  // A restored copy may still be counted as deleted.
  if (found.some(({ repaired }) => repaired)) await settleNumber(scope);
  return found;
}

async function look(scope: VerifyContext): Promise<Comparison | Moved> {
  const key = { PK: recordsPartition(scope.tenant, organizationEntity.name), SK: scope.tenant };
  const organization = await readItem(scope, key);
  if (organization === undefined) return { differences: [] };
  const difference = (text: string): Difference => ({
    kind: 'organization',
    entity: organizationEntity.name,
    id: scope.tenant,
    text: `${organizationEntity.name} ${scope.tenant} ${text}`,
  });
  if (organization[LISTED_AS] === undefined)
    return { differences: [difference('has no place in the list of organizations')] };
  const copyKey = copyKeyOf(organization);
  const [now, copy] = await readTogether(scope, [key, copyKey]);
  if (now?.[schema.VERSION] !== organization[schema.VERSION]) {
    const { name } = organizationEntity;
    return new Moved({
      entity: name,
      id: scope.tenant,
      text: `${name} ${scope.tenant} changes too fast to be verified`,
    });
  }

  const fields = fieldsOf(organization);
  const asRead = (work: UnitOfWork): void =>
    work.update(key, {
      condition: { equals: { [schema.VERSION]: organization[schema.VERSION] } },
      onConditionFailed: changed,
    });
  if (copy?.id === undefined) {
    return {
      differences: [difference('is missing in the list of organizations')],
      repair: (work) => {
        asRead(work);
        work.put({ ...copyKey, ...fields, [schema.VERSION]: 1 }, changed, absenceOf(copy));
      },
    };
  }
  if (copy.id !== scope.tenant)
    return { differences: [difference(`has its place in the list taken by ${String(copy.id)}`)] };
  const wrong = Object.keys({ ...fields, ...fieldsOf(copy) }).filter(
    (field) => !isDeepStrictEqual(fields[field], copy[field]),
  );
  if (wrong.length === 0) return { differences: [] };
  return {
    differences: [difference(`differs from its copy in the list of organizations: ${wrong.join(', ')}`)],
    repair: (work) => {
      asRead(work);
      const differing = Object.entries(fields).filter(([field]) => wrong.includes(field));
      const remove = wrong.filter((field) => !(field in fields));
      const asCopied = Object.fromEntries(wrong.map((field) => [field, copy[field]]));
      work.update(copyKey, {
        set: Object.fromEntries(differing),
        remove,
        condition: { equals: { id: copy.id, ...asCopied } },
        onConditionFailed: changed,
      });
    },
  };
}

/** The fields of the record in an item, as stored. */
const fieldsOf = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([attribute]) => attribute.toUpperCase() !== attribute));

/** The condition that a copy is still missing: no item, a tombstone, or an item without an id. */
const absenceOf = (copy: Item | undefined) =>
  copy === undefined
    ? { exists: false }
    : { equals: schema.isRecord(copy) ? { id: undefined } : { [schema.TOMBSTONE]: true } };

async function settleNumber(scope: VerifyContext): Promise<void> {
  const partition = recordsPartition(PLATFORM, listedEntity.name);
  const organization = await readItem(scope, {
    PK: recordsPartition(scope.tenant, organizationEntity.name),
    SK: scope.tenant,
  });
  const counter = await readCounterWithRetries(scope, partition);
  const list = {
    ...{ entity: listedEntity, partition, indexes: indexesOf(listedEntity, PLATFORM, partition) },
    ...{ counter, next: Number(counter.NEXT ?? 0), settled: -1 },
  };
  await verifyUntilStable(scope, () => lookAtNumber(scope, list, Number(organization?.[LISTED_AS]), []));
}
