import { uniqueFieldsOf } from '#contract/derived';
import { pointer } from '#contract/problem';
import type { Finding } from './findings.ts';
import type { FileRecord } from './records.ts';

/** Values of a file of which there can be only one: slugs, mail addresses, codes. */
export class UniqueValues {
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
