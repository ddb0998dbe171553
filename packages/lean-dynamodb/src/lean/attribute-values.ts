import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

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
