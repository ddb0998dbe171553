import type * as z from 'zod';
import { isUuidSchema } from '#contract';
import { elementOf, unwrapped } from './columns.ts';
import type { ImportKind } from './kinds.ts';

/**
 * Ids of the records of an export, and those that they have where they are imported. Fields that refer to a record get
 * the new id, and so do other ids (`assigned_to`), alone or in lists, where they are that of a record of the file.
 * Texts and free-form JSON are left alone.
 */
export class References {
  /** Null until the record is imported. */
  readonly #ids = new Map<string, string | null>();
  /** Names of the records to which others refer. */
  readonly #referred: ReadonlySet<string>;

  constructor(kinds: readonly ImportKind[]) {
    this.#referred = new Set(kinds.flatMap(({ references }) => [...references.values()]));
  }

  /** A record of the file. */
  add({ record }: ImportKind, id: string): void {
    if (this.#referred.has(record)) this.#ids.set(id, null);
  }

  /** Its id where it is imported. */
  set({ record }: ImportKind, id: string, imported: string): void {
    if (this.#referred.has(record)) this.#ids.set(id, imported);
  }

  /** The id that a record has where it is imported. */
  importedId(id: string): string | undefined {
    return this.#ids.get(id) ?? undefined;
  }

  /** The fields of a record with the ids of where it is imported. */
  mapped(kind: ImportKind, fields: Readonly<Record<string, unknown>>): MappedFields {
    const deleted: string[] = [];
    const waitsFor: string[] = [];
    const entries = Object.entries(fields).map(([field, value]): [string, unknown] => {
      if (!kind.references.has(field)) return [field, holdsIds(kind, field) ? this.#mapped(value) : value];
      if (typeof value !== 'string') return [field, value];
      const imported = this.#ids.get(value);
      if (imported === null) waitsFor.push(field);
      if (imported !== undefined) return [field, imported ?? value];
      deleted.push(field);
      return [field, null];
    });
    return { fields: Object.fromEntries(entries), deleted, waitsFor };
  }

  #mapped(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((element) => this.#mapped(element));
    return typeof value === 'string' ? (this.#ids.get(value) ?? value) : value;
  }
}

export interface MappedFields {
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * Fields that referred to records which the file does not have: they were deleted, and a ticket keeps their ids. Null
   * now.
   */
  readonly deleted: readonly string[];
  /** Fields that refer to records of the file which are not imported. */
  readonly waitsFor: readonly string[];
}

/** Whether a field has ids that the service does not look up. */
function holdsIds({ body }: ImportKind, field: string): boolean {
  const schema = body.schema.shape[field] as z.ZodType | undefined;
  if (schema === undefined) return false;
  const { inner } = unwrapped(schema);
  return isUuidSchema(elementOf(inner) ?? inner);
}
