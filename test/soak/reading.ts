import { type Fields, KINDS, type Kind, listPath, markOf, type Recorder } from './recorder.ts';

/** Reads every list to its end when all has come to rest. */

export interface Found {
  readonly records: Readonly<Record<Kind, readonly Fields[]>>;
  /** Versions of records by id. */
  readonly versions: ReadonlyMap<string, number>;
  /** What the lists say of themselves and of each other that cannot be. */
  readonly complaints: readonly string[];
}

/** The filters whose lists are read, by each value that a record has, or had. */
const FILTERS: Readonly<Record<Kind, readonly string[]>> = {
  clients: ['status', 'plan'],
  services: ['client_id', 'status', 'environment'],
  resources: ['client_id', 'service_id', 'status', 'location'],
  tickets: ['client_id', 'status', 'priority'],
};

const SMALL_PAGE = 7;

export async function readAll(recorder: Recorder, server: number): Promise<Found> {
  const complaints: string[] = [];
  const records = { clients: [], services: [], resources: [], tickets: [] } as Record<Kind, Fields[]>;
  await closeLost(recorder, server);
  for (const kind of KINDS) {
    const oldest = await walk(recorder, server, kind, { page_size: SMALL_PAGE, sort: 'created_at' }, complaints);
    const newest = await walk(recorder, server, kind, { page_size: SMALL_PAGE, sort: '-created_at' }, complaints);
    if (idsOf(oldest).join() !== idsOf(newest).reverse().join())
      complaints.push(`${kind}: from the newest to the oldest they are others than from the oldest to the newest`);
    const sorted = await walk(recorder, server, kind, { page_size: SMALL_PAGE, sort: 'status' }, complaints);
    if (idsOf(sorted).join() !== idsOf(oldest.toSorted(byStatus)).join())
      complaints.push(`${kind}: by status they are ${marks(kind, sorted)}`);
    records[kind] = oldest;
  }
  for (const kind of KINDS) {
    for (const field of FILTERS[kind]) {
      for (const value of valuesOf(recorder, kind, field, records[kind])) {
        const listed = await walk(recorder, server, kind, { page_size: SMALL_PAGE, [field]: value }, complaints);
        const expected = records[kind].filter((record) => record[field] === value);
        if (idsOf(listed).toSorted().join() !== idsOf(expected).toSorted().join())
          complaints.push(
            `${kind} by ${field}=${value} are ${marks(kind, listed)}, but have it ${marks(kind, expected)}`,
          );
      }
    }
  }
  return { records, versions: await versionsOf(recorder, server, records), complaints };
}

/** Those of one status stay in the order of creation. */
const byStatus = ({ status: one }: Fields, { status: other }: Fields): number =>
  one === other ? 0 : String(one) < String(other) ? -1 : 1;

const LISTS = [...KINDS, 'webhook-events', 'audit-events'];

/** Numbers that were lost count until the page is read that they are on, and are closed then. */
async function closeLost(recorder: Recorder, server: number): Promise<void> {
  for (const list of LISTS) {
    for (let page = 1, rest = 1; rest > 0; page++) {
      const { body } = await recorder.read(server, `/${list}?page_size=100&page=${page}`);
      rest = (body.data as Fields[] | undefined)?.length ?? 0;
    }
  }
}

/** All pages, and one after the last. */
async function walk(
  recorder: Recorder,
  server: number,
  kind: Kind,
  query: Fields & { readonly page_size: number },
  complaints: string[],
): Promise<Fields[]> {
  const all: Fields[] = [];
  const totals = new Set<unknown>();
  for (let page = 1, rest = 1; rest >= 0; page++) {
    const path = listPath(kind, { ...query, page });
    const { status, body } = await recorder.read(server, path);
    const data = (body.data ?? []) as Fields[];
    if (status !== 200) complaints.push(`${path} is ${status}`);
    all.push(...data);
    totals.add(body.total);
    if (data.length < query.page_size) rest -= 1;
  }
  const list = listPath(kind, query);
  if (totals.size > 1) complaints.push(`${list} has totals ${[...totals].join(' and ')}`);
  else if (!totals.has(all.length)) complaints.push(`${list} says ${[...totals].join()} and shows ${all.length}`);
  if (new Set(idsOf(all)).size < all.length) complaints.push(`${list} shows a record twice`);
  return all;
}

const idsOf = (records: readonly Fields[]): string[] => records.map(({ id }) => String(id));
const marks = (kind: Kind, records: readonly Fields[]): string =>
  JSON.stringify(records.map((record) => record[markOf(kind)]));

/** The values of a field that records have, or that anybody tried to give them. */
function valuesOf(recorder: Recorder, kind: Kind, field: string, records: readonly Fields[]): string[] {
  const given = recorder.history.flatMap(({ act, body }) =>
    'fields' in act && act.kind === kind ? [act.fields[field], body[field]] : [],
  );
  const values = new Set([...given, ...records.map((record) => record[field])]);
  return [...values].filter((value) => typeof value === 'string');
}

async function versionsOf(recorder: Recorder, server: number, records: Found['records']): Promise<Map<string, number>> {
  const changed = new Set(recorder.history.flatMap(({ act }) => (act.do === 'change' ? [act.id] : [])));
  const versions = new Map<string, number>();
  for (const kind of KINDS) {
    for (const id of idsOf(records[kind]).filter((each) => changed.has(each))) {
      const { etag } = await recorder.read(server, `/${kind}/${id}`);
      versions.set(id, Number.parseInt(etag?.replace('"', '') ?? '', 10));
    }
  }
  return versions;
}
