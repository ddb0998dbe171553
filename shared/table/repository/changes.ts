import { isDeepStrictEqual } from 'node:util';

/** Fields to change, each with a value. */
export type Changes<P> = { [K in keyof P]?: Exclude<P[K], undefined> };

/** The fields of a patch that differ from the record; a patch without effect leaves the record and its version as they are. */
export const changesOf = <T extends object, P extends object>(record: T, patch: P): Changes<P> =>
  Object.fromEntries(
    Object.entries(patch).filter(
      ([field, value]) => value !== undefined && !isDeepStrictEqual((record as Record<string, unknown>)[field], value),
    ),
  ) as Changes<P>;

export const isEmptyChange = (changes: object): boolean => Object.keys(changes).length === 0;
