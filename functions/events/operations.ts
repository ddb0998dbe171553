import { ids, listErrors } from '@custodia/counted-lists';
import type { Operations } from '#http';
import { JournalReader, type Tenant } from '#table';
import { type Event, type events, LATEST } from './contract.ts';
import { cursorOf, cursorRefusal, readCursor } from './cursor.ts';
import { embedRecords } from './embed.ts';
import { requireKnownTypes, showEvent, visibleTo } from './visible.ts';

/** Most bytes of a response's records, escaped. A Lambda's result has room for 200 events besides. */
const MOST_EMBEDDED = 5_500_000;

export const eventOperations: Operations<typeof events> = {
  listEvents: async ({ query: { after, limit, types: names, record_id, expand }, tenant, caller }) => {
    const types = names?.split(',');
    requireKnownTypes(types ?? [], () => ({ in: 'query', pointer: '#/types' }));
    const permissions = caller.permissions && [...caller.permissions];
    const isVisible = visibleTo(permissions, types);
    const accepts: Query['accepts'] = (event) => isVisible(event) && (record_id ?? event.record_id) === event.record_id;
    const reading = pageAfter(tenant, after, { limit, accepts });
    const page = await reading.catch((error) => {
      throw cursorRefusal(error, { in: 'query', pointer: '#/after' });
    });
    const data = page.events.map(showEvent);
    if (expand === undefined) return responseOf(tenant, page, data);
    const records = await embedRecords(tenant, page.events, permissions, MOST_EMBEDDED);
    const omitted = page.events[records.length];
    const read = omitted === undefined ? page : { ...page, next: ids.numberOf(omitted.id), ended: 'limit' as const };
    return responseOf(
      tenant,
      read,
      records.map((record, index) => ({ ...(data[index] as Event), record })),
    );
  },
};

type Page = Awaited<ReturnType<JournalReader['read']>>;
type Query = Parameters<JournalReader['read']>[0];

/** @throws WrongCursor; FeedExpired also where the cursor is of another numbering */
async function pageAfter(tenant: Tenant, after: string | undefined, query: Omit<Query, 'from'>): Promise<Page> {
  const journal = new JournalReader(tenant);
  if (after === undefined) return journal.read({ from: 'oldest', ...query });
  if (after === LATEST) return { ...(await journal.end()), events: [], ended: 'end' };
  const { generation, next: from } = readCursor(after, tenant.id);
  const page = await journal.read({ from, ...query });
  if (page.generation !== generation) throw new listErrors.FeedExpired();
  return page;
}

const responseOf = ({ id }: Tenant, page: Page, data: Event[]) => ({
  body: { data, next: cursorOf(id, page), more: page.ended === 'limit' },
});
