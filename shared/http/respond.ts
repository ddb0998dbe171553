import type { Page, Stored } from '#table';
import { countDeliverable } from './response.ts';

/** What operations return: `respond.record(stored)`. */

const asStored = <T, U>(record: T): U => record as unknown as U;

/** Returns a record and its version; `show` maps the stored record to the returned one, where they differ. */
export const record = <T, U = T>(stored: Stored<T>, show: (record: T) => U = asStored) => ({
  body: show(stored.record),
  version: stored.version,
});

/** Returns a page of records. */
export const page = <T>(
  found: Omit<Page<T>, 'records'> & { readonly records: readonly Pick<Stored<T>, 'record'>[] },
  query: { readonly page: number; readonly page_size: number },
) => ({
  body: {
    data: found.records.map((stored) => stored.record),
    page: query.page,
    page_size: query.page_size,
    total: found.total,
  },
  isCut: found.isCut,
  ...(found.residualUnits === undefined ? {} : { residualUnits: found.residualUnits }),
});

/** Returns a cursor page, or as much of it as one response can carry. */
export const cursorPage = <T, U = T>(
  found: { readonly records: readonly Stored<T>[]; readonly next: string | undefined },
  show: (record: T) => U = asStored,
) => {
  const data = found.records.map((stored) => show(stored.record));
  const fitting = countDeliverable(data);
  const next = fitting < data.length ? String(found.records[fitting - 1]?.item.id) : found.next;
  return { body: { data: data.slice(0, fitting) }, next };
};

/** A response without a body. */
export const empty = { body: undefined } as const;

/**
 * Returns a finished text, byte for byte: JSON, unless the headers say another `Content-Type`. With an `ETag` among the
 * headers, conditional reads are served too.
 */
export const text = (content: string, headers: Readonly<Record<string, string>>) => ({
  // Ignored, because there is a `text`.
  body: undefined as never,
  text: content,
  headers,
});
