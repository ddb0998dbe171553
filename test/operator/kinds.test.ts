import { storedSets } from '@custodia/counted-lists';
import { expect, it } from 'vitest';
import { type Entity, PLATFORM, tenantPartition, uniqueKey, valuesPartition } from '#table';
import { indexesOf } from '#table/storage';
import { kinds } from '../../operator/kinds.ts';
import { CREATION_FIELDS } from '../../shared/contract/filter-names.ts';
import { sources } from '../architecture/sources.ts';

/** What the operator verifies is all that the domains declare. */

/** The names of all entities that the code declares, wherever that is. */
const declared = sources
  .flatMap(({ code }) => Array.from(code.matchAll(/\bentity(?:<[^>]+>)?\(\s*'(\w+)'/g)))
  .map(([, name]) => name);

it('verifies every kind of record that is declared', () => {
  const verified = kinds.flatMap(({ entity, below }) => [entity, ...below]).map(({ name }) => name);
  // Organizations are no kind of a tenant: each is compared with its copy in the platform's list. Some domains declare
  // a part of another's records again.
  expect(new Set([...verified, 'ORG'])).toEqual(new Set(declared));
  expect(new Set(verified).size).toBe(verified.length);
});

const setFields = (entity: Entity) => indexesOf(entity, PLATFORM, '').setFields;

it('has no partition that is taken for one of credentials, whatever callers write', () => {
  const text = 'x#CREDENTIALS';
  const partitions = kinds.flatMap(({ entity, below }) => {
    const records = tenantPartition(PLATFORM, entity.name);
    return [
      ...[records, ...below.map(({ name }) => tenantPartition(PLATFORM, entity.name, 'id', name))].flatMap((each) => [
        each,
        storedSets.partitionOf(each),
      ]),
      ...setFields(entity).map((field) => storedSets.partitionOf(records, field, text)),
      ...Object.keys(entity.unique).map((field) => uniqueKey(PLATFORM, entity.name, field, text).PK),
      ...indexesOf(entity, PLATFORM, records).itemPartitions.map(({ partition }) => partition),
      valuesPartition(records),
    ];
  });
  expect(partitions.length).toBeGreaterThan(60);
  expect(partitions.filter((PK) => PK.endsWith('#CREDENTIALS'))).toEqual([]);
  expect(tenantPartition(PLATFORM, 'CREDENTIALS')).toMatch(/#CREDENTIALS$/);
});

it('knows the field with the time at which a record was created, by which readers recognise lost numbers', () => {
  const fields = kinds.map(({ entity }) => entity.record?.fieldOf(entity.createdAt) ?? [entity.name, entity.createdAt]);
  expect(fields.filter(Array.isArray)).toEqual([
    ['AUDIT_EVENT', 'occurred_at'],
    ['EVENT', 'occurred_at'],
  ]);
});

it('finds records by the time of their creation in lists of any size, as the document says', () => {
  const fields = kinds.map(({ entity }) => entity.createdAt);
  expect(fields.filter((field) => !CREATION_FIELDS.includes(field))).toEqual([]);
});

it('counts by fields that are filters, so that what has come since a scan is found', () => {
  const sources = kinds.flatMap(({ counters }) => Object.values(counters).flat());
  expect(sources.length).toBeGreaterThan(3);
  expect(sources.filter(({ entity, by }) => !setFields(entity).includes(by))).toEqual([]);
});

it('knows the values of filters that it names', () => {
  for (const { entity, values } of kinds) {
    expect(Object.keys(values).filter((field) => !setFields(entity).includes(field))).toEqual([]);
  }
});

it('knows what the contracts say of a filter: ids of records, a closed set, flags', () => {
  const valuesOf = (name: string) => kinds.find(({ entity }) => entity.name === name)?.values;
  expect(valuesOf('RESOURCE')).toMatchObject({ client_id: [{ name: 'CLIENT' }], service_id: [{ name: 'SERVICE' }] });
  expect(valuesOf('TICKET')).toMatchObject({ status: ['open', 'closed', 'pending'], client_id: [{ name: 'CLIENT' }] });
  expect(valuesOf('USER')).toEqual({ is_active: ['true', 'false'] });
});
