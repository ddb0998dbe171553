import { asNumber, mistakeIn, parseJson } from '#json';
import { isObject } from '../../shared/well-formed.ts';
import { declaredOf, exportedKinds } from '../export.ts';
import { type Column, Columns, type Mapping } from './columns.ts';
import { fieldsOf, type ImportKind, importKinds, NOT_IMPORTED } from './kinds.ts';
import { rowsOf } from './read-csv.ts';
import type { Finding } from './text.ts';
import { linesOf } from './text.ts';

/** The records of a file, whatever its form. */

export type FileForm =
  | { readonly kind: ImportKind; readonly format: 'csv'; readonly mapping: Mapping }
  | { readonly kind: ImportKind; readonly format: 'ndjson' }
  /** What `custodia export` writes: records of all kinds, each with its own. */
  | { readonly kind: undefined; readonly format: 'ndjson' };

export interface FileRecord {
  readonly line: number;
  /** Undefined for records that are not imported. */
  readonly kind: ImportKind | undefined;
  /** Name of the kind: `Client`. */
  readonly type: string;
  /** The id that it had where it was exported. */
  readonly id?: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The columns of CSV, by field. */
  readonly columns?: ReadonlyMap<string, Column>;
  /** Why it has no fields, or not all. */
  readonly findings: readonly Finding[];
}

/**
 * The records in the order of the file.
 * @throws OperatorProblem where the file cannot be read, to its end or at all
 */
export function recordsOf(file: string, form: FileForm): AsyncGenerator<FileRecord, void> {
  if (form.format === 'csv') return csvRecords(file, form.kind, form.mapping);
  return form.kind === undefined ? exportedRecords(file) : jsonRecords(file, form.kind);
}

const NO_HEADER = 'the file has no line with the names of its columns';

/** Where the header cannot be read, it is the only record, with what is wrong. */
async function* csvRecords(file: string, kind: ImportKind, mapping: Mapping): AsyncGenerator<FileRecord, void> {
  const type = kind.record;
  let columns: Columns | undefined;
  for await (const row of rowsOf(file)) {
    if (columns === undefined) {
      columns = new Columns(kind, row, mapping);
      if (columns.findings.length === 0) continue;
      yield { line: row.line, kind, type, fields: {}, findings: columns.findings };
      return;
    }
    const { line } = row;
    const findings = columns.findingsOf(row);
    yield { line, kind, type, fields: columns.fieldsOf(row), columns: columns.byField, findings };
  }
  // Such as a file whose download was cut off: it is no success.
  if (columns === undefined) yield { line: 1, kind, type, fields: {}, findings: [{ line: 1, detail: NO_HEADER }] };
}

async function* jsonRecords(file: string, kind: ImportKind): AsyncGenerator<FileRecord, void> {
  for await (const { line, value, finding } of valuesOf(file)) {
    const fields = asNumber(value);
    const findings = isObject(fields) ? [] : [finding ?? { line, detail: 'must be a JSON object' }];
    yield { line, kind, type: kind.record, fields: isObject(fields) ? fields : {}, findings };
  }
}

const KINDS = new Map(importKinds.map((kind) => [kind.record, kind]));
/** Records that an export has, too. */
const EXPORTED = new Set([
  'Organization',
  ...exportedKinds.flatMap(({ entity, below }) => [entity, ...below].map((each) => declaredOf(each).name)),
]);

async function* exportedRecords(file: string): AsyncGenerator<FileRecord, void> {
  for await (const { line, value, finding } of valuesOf(file)) {
    const { type, record: given }: Record<string, unknown> = isObject(value) ? value : {};
    const record = asNumber(given);
    if (finding !== undefined || typeof type !== 'string' || !EXPORTED.has(type) || !isObject(record)) {
      const detail =
        'must be a line of custodia export, {"type":"Client","record":{…}}; name other records with --type';
      yield { line, kind: undefined, type: '', fields: {}, findings: [finding ?? { line, detail }] };
      continue;
    }
    const kind = KINDS.get(type);
    const settable =
      kind === undefined ? [] : fieldsOf(kind).filter((field) => !NOT_IMPORTED.has(field) && field in record);
    const fields = Object.fromEntries(settable.map((field) => [field, record[field]]));
    yield { line, kind, type, id: String(record.id), fields, findings: [] };
  }
}

interface JsonLine {
  readonly line: number;
  readonly value?: unknown;
  readonly finding?: Finding;
}

/** The lines of a file of NDJSON, with numbers as they were written. */
async function* valuesOf(file: string): AsyncGenerator<JsonLine, void> {
  for await (const { line, text } of linesOf(file)) {
    try {
      yield { line, value: parseJson(text) };
    } catch {
      const { column, found, expected } = mistakeIn(text) ?? { column: 1, found: 'something', expected: 'JSON' };
      const detail = `is not JSON: ${found} in place of ${expected}`;
      yield { line, finding: { line, column: { number: column, name: '' }, detail } };
    }
  }
}
