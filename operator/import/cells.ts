import * as z from 'zod';
import { parseJson } from '#json';
import { isBlank, trimmed } from '../../shared/words.ts';

/**
 * Cells of CSV as values of fields. A text that is none of its field is left as it is: the contract then says what is
 * wrong with it, in the words of the API.
 */

/** The value of a cell; undefined where the field is left out, because nothing is given and it cannot be null. */
export type ReadCell = (cell: string) => unknown;

/** How the cells of a field are read, by its schema in the contract. */
export function cellReader(schema: z.ZodType): ReadCell {
  const { inner, isNullable } = unwrapped(schema);
  const read = readerOf(inner);
  const empty = isNullable ? null : undefined;
  return (cell) => (isBlank(cell) ? empty : read(cell));
}

/** The schema inside `optional`, `nullable` and `default`. */
export function unwrapped(schema: z.ZodType, isNullable = false): { inner: z.ZodType; isNullable: boolean } {
  if (schema instanceof z.ZodNullable) return unwrapped(schema.unwrap() as z.ZodType, true);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap() as z.ZodType, isNullable);
  return { inner: schema, isNullable };
}

/** The schema of the elements of a list (`shared/contract/fields.ts`). */
export function elementOf(schema: z.ZodType): z.ZodType | undefined {
  const array = schema instanceof z.ZodPipe ? schema.out : schema;
  return array instanceof z.ZodArray ? (array.element as z.ZodType) : undefined;
}

function readerOf(schema: z.ZodType): ReadCell {
  if (schema instanceof z.ZodNumber) return numberIn;
  if (schema instanceof z.ZodBoolean) return flagIn;
  if (schema instanceof z.ZodCustom) return jsonIn;
  return elementOf(schema) === undefined ? (cell) => cell : listIn;
}

/** A number of JSON: `007` and `1,5` stay texts. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const numberIn: ReadCell = (cell) => (NUMBER.test(trimmed(cell)) ? Number(trimmed(cell)) : cell);

/** `1.23E+11`, or `1,23E+11`: how spreadsheets write whole numbers of more than eleven digits. */
const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$/;
const LOST =
  'is in scientific notation, which leaves out digits: format the column as a number without decimals, and save it ' +
  'again';

/**
 * What a cell has lost before it came into the file, by the schema of its field; undefined where nothing shows that.
 */
export function lossIn(schema: z.ZodType): (cell: string) => string | undefined {
  const { inner } = unwrapped(schema);
  const isWhole = inner instanceof z.ZodNumber && inner.isInt;
  return (cell) => (isWhole && SCIENTIFIC.test(trimmed(cell)) ? LOST : undefined);
}

const FLAGS = new Map([
  ['true', true],
  ['false', false],
]);
/** In any case: spreadsheets write `TRUE`. */
const flagIn: ReadCell = (cell) => FLAGS.get(trimmed(cell).toLowerCase()) ?? cell;

function jsonIn(cell: string): unknown {
  try {
    return parseJson(trimmed(cell));
  } catch {
    return cell;
  }
}

/** `a; b`, or a list in JSON. */
const listIn: ReadCell = (cell) =>
  trimmed(cell).startsWith('[')
    ? jsonIn(cell)
    : cell
        .split(';')
        .map(trimmed)
        .filter((element) => element !== '');
