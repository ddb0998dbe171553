import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Problem, parse, pointer, uniqueFieldsOf } from '#contract';
import { asNumber } from '#json';
import type { ImportKind } from './kinds.ts';
import { type FileForm, type FileRecord, recordsOf } from './records.ts';
import type { References } from './references.ts';
import { bytesOf, type Finding, shortened } from './text.ts';

/** A file is read to its end and checked before anything of it is sent. */

export interface CheckedFile {
  readonly sha256: string;
  /** Records that can be imported, by name of their kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly total: number;
  /** Records of an export that are not imported, by name. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** References of an export to records that it does not have, as fields by name of the kind: `Ticket.service_id`. */
  readonly deleted: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** Lines with findings. */
  readonly invalid: number;
}

/** Findings that are kept, because a file may be wrong in each of its lines. */
const MOST_FINDINGS = 10_000;

/**
 * @param references gets the ids of the records of an export
 * @throws OperatorProblem where the file cannot be read
 */
export async function checkFile(file: string, form: FileForm, references: References): Promise<CheckedFile> {
  const hash = createHash('sha256');
  await pipeline(bytesOf(file), hash);
  const counts = new Map<string, number>();
  const leftOut = new Map<string, number>();
  const uniqueValues = new UniqueValues();
  const findings: Finding[] = [];
  let invalid = 0;
  for await (const record of recordsOf(file, form)) {
    const mistakes = findingsOf(record);
    const own = mistakes.length > 0 ? mistakes : uniqueValues.repeatedIn(record);
    if (own.length > 0) {
      invalid += 1;
      findings.push(...own.slice(0, MOST_FINDINGS - findings.length).map(shortened));
      continue;
    }
    const { kind, type, id } = record;
    increase(kind === undefined ? leftOut : counts, type);
    if (kind !== undefined && id !== undefined) references.add(kind, id);
  }
  return {
    sha256: hash.digest('hex'),
    counts: Object.fromEntries(counts),
    total: counts.values().reduce((sum, count) => sum + count, 0),
    leftOut: Object.fromEntries(leftOut),
    deleted: form.kind === undefined ? await deletedIn(file, form, references) : {},
    findings,
    invalid,
  };
}

/** What is wrong with a record: its form, and where it has fields nevertheless, these. */
export function findingsOf({ line, kind, fields, columns, findings }: FileRecord): readonly Finding[] {
  if (kind === undefined || (findings.length > 0 && columns === undefined)) return findings;
  const found: Finding[] = mistakesIn(kind, fields).map(({ pointer, detail }) => {
    const column = columns?.get(pointer.split('/')[1] ?? '');
    return { line, ...(column !== undefined && { column }), pointer, detail };
  });
  const further = found.filter(({ column }) => findings.every((known) => known.column?.number !== column?.number));
  return [...findings, ...further].toSorted((one, other) => (one.column?.number ?? 0) - (other.column?.number ?? 0));
}

async function deletedIn(file: string, form: FileForm, references: References): Promise<Record<string, number>> {
  const deleted = new Map<string, number>();
  for await (const { kind, fields } of recordsOf(file, form)) {
    if (kind === undefined) continue;
    for (const field of references.mapped(kind, fields).deleted) increase(deleted, `${kind.record}.${field}`);
  }
  return Object.fromEntries(deleted);
}

const increase = (counts: Map<string, number>, name: string): Map<string, number> =>
  counts.set(name, (counts.get(name) ?? 0) + 1);

/** Values of a file of which there can be only one: slugs, mail addresses, codes. */
class UniqueValues {
  /** The lines of the values. */
  readonly #lines = new Map<string, number>();

  /** The fields of a record whose values an earlier record has: the service would refuse it. */
  repeatedIn({ line, kind, type, fields, columns }: FileRecord): Finding[] {
    if (kind === undefined) return [];
    return [...uniqueFieldsOf(kind.body.schema)].flatMap(([field, { normalize }]) => {
      const value = fields[field];
      // An upsert changes what an earlier line has made.
      if (typeof value !== 'string' || field === kind.named?.field) return [];
      const name = `${type}.${field}=${normalize(value)}`;
      const earlier = this.#lines.get(name);
      if (earlier === undefined) {
        this.#lines.set(name, line);
        return [];
      }
      const column = columns?.get(field);
      const detail = `is that of line ${earlier}, too`;
      return [{ line, ...(column !== undefined && { column }), pointer: pointer([field]), detail }];
    });
  }
}

/** What a record of a file is sent as, and what is wrong with it by the contract. */

export interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Mistake {
  readonly pointer: string;
  readonly detail: string;
}

/** The parameters and the body of the operation that creates a record with these fields. */
export function inputOf({ named }: ImportKind, fields: Readonly<Record<string, unknown>>): Input {
  if (named === undefined) return { body: fields };
  const { [named.field]: value, ...body } = fields;
  return { params: { [named.parameter]: value as string }, body };
}

/** A body may be nested up to 256 levels deep, and is one of them. */
const MOST_LEVELS = 255;

/** What is wrong with these fields, as the API would say it. */
export function mistakesIn(kind: ImportKind, fields: Readonly<Record<string, unknown>>): Mistake[] {
  // What is nested deeper cannot be checked or written, either.
  const deep = Object.keys(fields).filter((field) => isDeeper(fields[field], MOST_LEVELS));
  const detail = `is nested more than ${MOST_LEVELS} levels deep`;
  if (deep.length > 0) return deep.map((field) => ({ pointer: pointer([field]), detail }));
  const { params = {}, body } = inputOf(kind, fields);
  const readOnly = Object.keys(body).filter((field) => Object.hasOwn(kind.body.readOnlyFields, field));
  const settable = Object.entries(body).filter(([field]) => !readOnly.includes(field));
  return [
    ...readOnly.map((field) => ({ pointer: pointer([field]), detail: 'is set by the service: leave it out' })),
    ...(kind.named === undefined ? [] : namedMistakes(kind.named, params)),
    ...refusalsOf(() => parse(kind.body.schema, Object.fromEntries(settable.map(withoutKeptNumber)), 'body')),
  ];
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

const namedMistakes = ({ schema, field }: NonNullable<ImportKind['named']>, params: Input['params']): Mistake[] =>
  refusalsOf(
    () => parse(schema, params, 'path'),
    () => pointer([field]),
  );

/** A number that is kept as text is an object in JavaScript (`#json`). They are for free-form fields only. */
const withoutKeptNumber = ([field, value]: readonly [string, unknown]): [string, unknown] => [
  field,
  Array.isArray(value) ? value.map(asNumber) : asNumber(value),
];

function refusalsOf(check: () => unknown, place = (own: string) => own): Mistake[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map((found) => ({ pointer: place(found.pointer), detail: found.detail }));
  }
}
