import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';
import { NormalizedSchema } from '@smithy/core/schema';

/**
 * Values of items as DynamoDB's JSON (`{"S":"text"}`) and back, in one pass where the SDK makes two with objects in
 * between. What is unusual, and every error, is left to the SDK's own `convertToAttr` and `convertToNative`.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
 */

/** Reads the text of a number. */
export type NumberOf = (text: string) => number | bigint;

/** @throws Error for what has no place in an item, as the SDK does */
export function attributeText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `{"S":${JSON.stringify(value)}}`;
    case 'boolean':
      return value ? '{"BOOL":true}' : '{"BOOL":false}';
    case 'bigint':
      return `{"N":"${value}"}`;
    case 'number':
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? `{"N":"${value}"}` : textBySdk(value);
    case 'object':
      return objectText(value);
    default:
      return textBySdk(value);
  }
}

function objectText(value: object | null): string {
  if (value === null) return '{"NULL":true}';
  if (Array.isArray(value)) return `{"L":[${value.filter(isValue).map(attributeText).join()}]}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null
    ? `{"M":${mapText(value as Record<string, unknown>)}}`
    : textBySdk(value);
}

function mapText(map: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const name in map) {
    const value = map[name];
    if (isValue(value)) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${attributeText(value)}`;
  }
  return `{${text}}`;
}

const isValue = (value: unknown): boolean => typeof value !== 'function';

/** An attribute value of the SDK: exactly one of its members is there. */
type AttributeValue = ReturnType<typeof convertToAttr>;

const textBySdk = (value: unknown): string => sdkText(convertToAttr(value));

/** What {@link attributeText} leaves to the SDK: sets, binary values, instances of `Map`. */
function sdkText(attribute: AttributeValue): string {
  const { B, BS, L, M } = attribute;
  if (B !== undefined) return `{"B":${base64(B)}}`;
  if (BS !== undefined) return `{"BS":[${BS.map(base64).join()}]}`;
  if (L !== undefined) return `{"L":[${L.map(sdkText).join()}]}`;
  if (M === undefined) return JSON.stringify(attribute);
  return `{"M":{${Object.entries(M).map(([name, value]) => `${JSON.stringify(name)}:${sdkText(value)}`)}}}`;
}

const base64 = (bytes: Uint8Array): string =>
  `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}"`;

/** Reads a value of an item, as `JSON.parse` made it. Without `Object.entries`, which takes four times as long here. */
export function native(attribute: object, numberOf: NumberOf): unknown {
  for (const type in attribute) {
    const value = (attribute as Record<string, unknown>)[type] as never;
    switch (type) {
      case 'S':
      case 'BOOL':
        return value;
      case 'N':
        return numberOf(value);
      case 'NULL':
        return null;
      case 'L':
        return (value as object[]).map((each) => native(each, numberOf));
      case 'M':
        return nativeMap(value, numberOf);
      default:
        return convertToNative(decoded(attribute), { wrapNumbers: numberOf });
    }
  }
  return convertToNative(attribute as AttributeValue);
}

function nativeMap(map: Readonly<Record<string, object>>, numberOf: NumberOf): Record<string, unknown> {
  const natives: Record<string, unknown> = {};
  for (const name in map) natives[name] = native(map[name] as object, numberOf);
  return natives;
}

/** An attribute value whose bytes are still base64. */
function decoded(attribute: { readonly B?: string; readonly BS?: readonly string[] }): AttributeValue {
  const { B, BS } = attribute;
  if (B !== undefined) return { B: bytesOf(B) };
  return BS === undefined ? (attribute as AttributeValue) : { BS: BS.map(bytesOf) };
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

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
