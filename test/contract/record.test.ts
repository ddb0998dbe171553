import { describe, expect, it } from 'vitest';
import { createOnly, optionalOnCreate, readOnly, record } from '#contract';
import * as field from '#contract/field';
import { present, projectionOf } from '#http';
import { validBody } from '../../shared/http/request/validate.ts';

const job = record('Job', () => ({
  id: readOnly(field.uuid()),
  owner_id: createOnly(field.uuid()),
  number: optionalOnCreate(field.name(20)),
  name: field.name(20),
  note: field.name(20).nullable(),
  status: field.word().default('open'),
  data: field.jsonObject().nullable().default(null),
  created_at: readOnly(field.timestamp().nullable()),
}));

const ID = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const fields = (shape: object): string[] => Object.keys(shape);

describe('a record', () => {
  it('builds its schemas when they are first asked for, and each once', () => {
    let built = 0;
    const counted = new Proxy(field.uuid(), {
      get: (schema, key) => {
        if (key === 'meta') built++;
        return Reflect.get(schema, key, schema);
      },
    });
    const lazy = record('Lazy', () => ({ key: readOnly(counted), name: field.name(10) }));
    expect([lazy.name, lazy.create.name, lazy.patch.name, built]).toEqual(['Lazy', 'LazyCreate', 'LazyPatch', 0]);
    for (const kind of [lazy, lazy.create, lazy.patch]) expect(kind.schema).toBe(kind.schema);
    expect(Object.keys(lazy.schema.shape)).toEqual(['key', 'name']);
    expect(built).toBeGreaterThan(0);
  });

  it('has bodies with exactly the fields that a caller may set', () => {
    expect(fields(job.schema.shape)).toEqual([
      'id',
      'owner_id',
      'number',
      'name',
      'note',
      'status',
      'data',
      'created_at',
    ]);
    expect(fields(job.create.schema.shape)).toEqual(['owner_id', 'number', 'name', 'note', 'status', 'data']);
    expect(fields(job.create.readOnlyFields)).toEqual(['id', 'created_at']);
    expect(fields(job.patch.schema.shape)).toEqual(['name', 'note', 'status', 'data']);
    expect(fields(job.patch.readOnlyFields)).toEqual(['id', 'owner_id', 'number', 'created_at']);
    expect([job.create.name, job.patch.name]).toEqual(['JobCreate', 'JobPatch']);
  });

  it('fills defaults on creation, and leaves out what the service finds', () => {
    expect(validBody(job.create, { owner_id: ID, name: 'a', note: null })).toEqual({
      owner_id: ID,
      name: 'a',
      note: null,
      status: 'open',
      data: null,
    });
  });

  it('changes only what a change names: no default creeps in', () => {
    expect(validBody(job.patch, {})).toEqual({});
    expect(validBody(job.patch, { data: null })).toEqual({ data: null });
    expect(validBody(job.patch, { status: 'done' })).toEqual({ status: 'done' });
  });

  it('takes a record sent back whole, and refuses no read-only field for its value', () => {
    const whole = {
      id: 'whatever',
      owner_id: 7,
      number: null,
      name: 'a',
      note: null,
      status: 'open',
      data: {},
      created_at: 1,
    };
    expect(validBody(job.patch, whole)).toEqual({ name: 'a', note: null, status: 'open', data: {} });
  });

  it('is returned with every field: defaults and null for missing ones, and no internal ones', () => {
    expect(present(projectionOf(job.schema), { id: ID, name: 'a', SECRET: 1, secret: 2 })).toEqual({
      id: ID,
      owner_id: null,
      number: null,
      name: 'a',
      note: null,
      status: 'open',
      data: null,
      created_at: null,
    });
  });
});
