import { nearestName, pointer } from '#contract';
import { isBlank, trimmed } from '../../shared/words.ts';
import { cellReader, lossIn, type ReadCell } from './cells.ts';
import type { Finding } from './findings.ts';
import { fieldsOf, type ImportKind } from './kinds.ts';
import type { Row } from './read-csv.ts';

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
