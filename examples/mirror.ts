import { CursorExpiredError, type Custodia, type Event } from '@custodia/client';

/** What a mirror keeps: in your program, two tables of its database. */
export interface Mirror {
  /** Where to go on; undefined until the lists have been read. */
  cursor: string | undefined;
  /** By id, with the version of the last event: 0 where the record is from a list. */
  readonly records: Map<string, { readonly version: number; readonly record: object }>;
}

const MIRRORED = ['Client', 'Service', 'Ticket'];

/** Mirrors records until the signal is aborted or something fails, and throws that: then call it again. */
export async function keepMirror(custodia: Custodia, mirror: Mirror, signal: AbortSignal, size = 50): Promise<void> {
  mirror.cursor ??= await readLists(custodia, mirror, size);
  const events = custodia.events({ after: mirror.cursor, expand: 'record', signal });
  try {
    for await (const { data, next } of events.pages()) {
      for (const event of data) apply(event, mirror);
      mirror.cursor = next; // after its events, in the same transaction of your database
    }
  } catch (error) {
    if (error instanceof CursorExpiredError) mirror.cursor = undefined; // begin anew
    throw error;
  }
}

async function readLists(custodia: Custodia, { records }: Mirror, page_size: number): Promise<string> {
  const { next } = await custodia.events({ after: 'latest' }).page(); // before the lists
  records.clear();
  for (const { list } of [custodia.tickets, custodia.services, custodia.clients]) {
    const { total } = await list({ page_size: 1 }).page();
    for (let page = Math.ceil(total / page_size); page > 0; page--) {
      const { data } = await list({ sort: 'created_at', page, page_size }).page();
      for (const record of data) records.set(record.id, { version: 0, record });
    }
  }
  return next;
}

function apply({ record_type, record_id, version, record }: Event, { records }: Mirror): void {
  if (!MIRRORED.includes(record_type) || version <= (records.get(record_id)?.version ?? 0)) return;
  if (record) records.set(record_id, { version, record });
  else records.delete(record_id);
}
