import { type NamedReference, namedReferencesIn, type Route } from '#contract';
import { mayDo } from '#identity';
import { entity, StaleRead } from '#table';
import { keyText } from '../words.ts';
import type { BearerInput, Input } from './operation.ts';
import { noSuchRecord } from './problems.ts';

type Scope = Pick<BearerInput, 'caller' | 'tenant'>;

/**
 * A body with the ids of the records that it refers to by names. What says so is read strongly consistently, one read
 * for each, and is a condition of the transaction: an operation runs again where another record has the name by then.
 * @throws Problem `reference-not-found`, also where the caller may not read such records: it would say whether one has
 *   the name
 */
export async function withIds({ body }: Route, given: NonNullable<Input['body']>, scope: Scope) {
  const named = body === undefined ? [] : namedReferencesIn(body.schema, given);
  const ids = await Promise.all(named.map(async (each) => [each.field, await idOf(each, scope)] as const));
  return { ...given, ...Object.fromEntries(ids) };
}

async function idOf({ field, record, by, value }: NamedReference, { caller, tenant }: Scope): Promise<string> {
  const missing = noSuchRecord(field, `names a ${record.toLowerCase()} that does not exist`);
  if (!mayDo(caller, `${record.toLowerCase()}s:read`)) throw missing();
  const records = tenant.records(entity(record.toUpperCase()));
  const moved = () => new StaleRead(`the ${by} of a reference names another record by now`);
  if (record === 'Resource') {
    const [id, other] = await records.idsWith(by as never, value);
    if (id === undefined) throw missing();
    if (other !== undefined) throw noSuchRecord(field, `names several resources by their ${by}: give an id`)();
    records.require(id, moved, { [by]: value });
    return id;
  }
  const name = keyText(value);
  const id = await records.idOf(by as never, name);
  if (id === undefined) throw missing();
  tenant.requireHolder(record.toUpperCase(), by, name, id, moved);
  return id;
}
