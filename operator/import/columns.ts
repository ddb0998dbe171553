import * as z from 'zod';
import { nearestName, pointer } from '#contract';
import { parseJson } from '#json';
import { isBlank, trimmed } from '../../shared/words.ts';
import { fieldsOf, type ImportKind } from './kinds.ts';
import type { Row } from './read-csv.ts';
import type { Finding } from './text.ts';

/** The columns of a file of CSV, by its first line. */

export interface Column {
  /** From 1. */
  readonly number: number;
  /** What the header says. */
  readonly name: string;
}

interface MappedColumn extends Column {
  readonly field: string;
  readonly read: ReadCell;
  readonly lossIn: ReturnType<typeof lossIn>;
}

/**
 * Fields by the headers of their columns; an empty one leaves the column out. Other columns have the names of fields.
 */
export type Mapping = ReadonlyMap<string, string>;

export class Columns {
  readonly #columns: readonly Column[];
  readonly #mapped: readonly MappedColumn[];
  /** The columns by their fields. */
  readonly byField: ReadonlyMap<string, Column>;
  /** What is wrong with the header: then no row can be read. */
  readonly findings: readonly Finding[];

  constructor(kind: ImportKind, { line, cells }: Row, mapping: Mapping) {
    const known = fieldsOf(kind);
    this.#columns = cells.map((cell, index) => ({ number: index + 1, name: trimmed(cell) }));
    const named = this.#columns.filter(({ name }) => name !== '' && mapping.get(name) !== '');
    this.#mapped = named.map((column) => {
      const field = mapping.get(column.name) ?? column.name;
      return { ...column, field, ...readersOf(kind, field) };
    });
    this.byField = new Map(this.#mapped.map((column) => [column.field, column]));
    const unknown = this.#mapped
      .filter(({ field }) => !known.includes(field))
      .map((column) => ({ line, column, detail: unknownField(kind, column.field, known) }));
    const repeated = this.#mapped
      .filter((column) => this.byField.get(column.field) !== column)
      .map((column) => ({ line, column, detail: `${column.field} has another column, too` }));
    const absent = [...mapping.keys()]
      .filter((name) => !this.#columns.some((column) => column.name === name))
      .map((name) => ({ line, detail: `no column is called ${name}, which --map names` }));
    const missing = requiredIn(kind)
      .filter((field) => !this.byField.has(field))
      .map((field) => ({ line, pointer: pointer([field]), detail: 'is required, and has no column' }));
    this.findings = [...unknown, ...repeated, ...absent, ...missing];
  }

  /** The fields of a row. Cells that are left out at its end are empty. */
  fieldsOf({ cells }: Row): Record<string, unknown> {
    const values = this.#mapped.map(({ field, number, read }) => [field, read(cells[number - 1] ?? '')] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  }

  /** Values that stand under no header, and those that have lost digits. */
  findingsOf({ line, cells }: Row): Finding[] {
    const unnamed = cells.flatMap((cell, index) => {
      const column = this.#columns[index] ?? { number: index + 1, name: '' };
      const detail = 'stands in a column without a name';
      return isBlank(cell) || column.name !== '' ? [] : [{ line, column, detail }];
    });
    const lost = this.#mapped.flatMap(({ number, name, field, lossIn: find }) => {
      const detail = find(cells[number - 1] ?? '');
      return detail === undefined ? [] : [{ line, column: { number, name }, pointer: pointer([field]), detail }];
    });
    return [...unnamed, ...lost];
  }
}

function readersOf({ body }: ImportKind, field: string): Pick<MappedColumn, 'read' | 'lossIn'> {
  const schema = Object.hasOwn(body.schema.shape, field) ? body.schema.shape[field] : undefined;
  // The id of the parent is not in the body.
  if (schema === undefined) return { read: trimmed, lossIn: () => undefined };
  return { read: cellReader(schema), lossIn: lossIn(schema) };
}

function unknownField({ record, body }: ImportKind, field: string, known: readonly string[]): string {
  if (Object.hasOwn(body.readOnlyFields, field)) return `${field} is set by the service: leave the column out (--map)`;
  const meant = nearestName(field, known);
  return `${field} is no field of ${record}${meant === undefined ? '' : `; perhaps ${meant} is meant`}`;
}

const requiredIn = (kind: ImportKind): string[] =>
  fieldsOf(kind).filter(
    (field) => field === kind.named?.field || kind.body.schema.shape[field]?.safeParse(undefined).success !== true,
  );

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
