import { NormalizedSchema } from '@smithy/core/schema';
import { attributeText, type NumberOf, native } from './attribute-values.ts';

/**
 * What the SDK's schemas of calls and responses say, put together once for each kind of call. Where a schema has an
 * attribute value, the document client takes and gives a plain one.
 */

/** The JSON of an input, or of a part of it. */
export type Write = (value: unknown) => string;

/** An output, or a part of it, of what `JSON.parse` made. */
export type Read = (json: unknown, numberOf: NumberOf) => unknown;

type Schema = Parameters<typeof NormalizedSchema.of>[0];

const isAttributeValue = (schema: NormalizedSchema): boolean =>
  schema.isStructSchema() && schema.getName() === 'AttributeValue';

/** Writes what has a schema. Members come in its order, as in the SDK. */
function writerOf(schema: NormalizedSchema): Write {
  if (isAttributeValue(schema)) return attributeText;
  if (schema.isStructSchema()) return structWriter(schema);
  if (schema.isListSchema()) return listWriter(writerOf(schema.getValueSchema()));
  return schema.isMapSchema() ? mapWriter(schema.getValueSchema()) : JSON.stringify;
}

function structWriter(schema: NormalizedSchema): Write {
  const members = Array.from(schema.structIterator(), ([name, member]) => ({
    name,
    opening: `${JSON.stringify(name)}:`,
    write: writerOf(member),
    isToken: member.isIdempotencyToken(),
  }));
  return (struct) => {
    let text = '';
    for (const { name, opening, write, isToken } of members) {
      const value = (struct as Record<string, unknown>)[name] ?? (isToken ? crypto.randomUUID() : undefined);
      if (value !== undefined) text += (text === '' ? opening : `,${opening}`) + write(value);
    }
    return `{${text}}`;
  };
}

const listWriter =
  (write: Write): Write =>
  (list) =>
    `[${(list as unknown[]).map(write).join()}]`;

/** A map of attribute values may have `null`, any other map leaves it out. */
function mapWriter(schema: NormalizedSchema): Write {
  const write = writerOf(schema);
  const absent = isAttributeValue(schema) ? undefined : null;
  return (map) => {
    let text = '';
    const values = map as Readonly<Record<string, unknown>>;
    for (const name in values) {
      const value = values[name];
      if (value === undefined || value === absent || typeof value === 'function') continue;
      text += (text === '' ? '' : ',') + openingOf(name) + write(value);
    }
    return `{${text}}`;
  };
}

/** Names of attributes and of placeholders as they are written. They are few; some have a date. */
const openings = new Map<string, string>();
const MOST_OPENINGS = 1_000;

function openingOf(name: string): string {
  const known = openings.get(name);
  if (known !== undefined) return known;
  const opening = `${JSON.stringify(name)}:`;
  if (openings.size < MOST_OPENINGS) openings.set(name, opening);
  return opening;
}

/** Reads what has a schema. */
function readerOf(schema: NormalizedSchema): Read {
  if (isAttributeValue(schema)) return native as Read;
  if (schema.isStructSchema()) return structReader(schema);
  if (schema.isListSchema()) return listReader(readerOf(schema.getValueSchema()));
  return schema.isMapSchema() ? mapReader(readerOf(schema.getValueSchema())) : same;
}

const same: Read = (json) => json;

function structReader(schema: NormalizedSchema): Read {
  const members = Array.from(schema.structIterator(), ([name, member]) => ({ name, read: readerOf(member) }));
  return (json, numberOf) => {
    const struct: Record<string, unknown> = {};
    for (const { name, read } of members) {
      const value = (json as Record<string, unknown>)[name] ?? undefined;
      if (value !== undefined) struct[name] = read(value, numberOf);
    }
    return struct;
  };
}

const listReader = (read: Read): Read =>
  read === same ? same : (json, numberOf) => (json as unknown[]).map((each) => read(each, numberOf));

/** Reads the values where they are: another object of forty attributes would be copied fourteen times as it grows. */
const mapReader =
  (read: Read): Read =>
  (json, numberOf) => {
    const map = json as Record<string, unknown>;
    for (const name in map) map[name] = read(map[name], numberOf);
    return map;
  };

/** Made once for all clients. */
const made = new WeakMap<object, Codec>();

interface Codec {
  readonly write: Write;
  readonly read: Read;
}

/** Writes the inputs of a kind of call and reads its outputs. */
export function codecOf(input: Schema, output: Schema): Codec {
  const codec = made.get(input as object) ?? {
    write: writerOf(NormalizedSchema.of(input)),
    read: readerOf(NormalizedSchema.of(output)),
  };
  made.set(input as object, codec);
  return codec;
}
