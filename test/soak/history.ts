import type { Found } from './reading.ts';
import { type Act, type Entry, type Fields, KINDS, type Kind, markOf } from './recorder.ts';

/** Whether what the clients saw, and what is found at the end, can have come of requests that each have their effect once or not at all. */

/**
 * - `done`: the request, or an earlier one that it repeats, had its effect;
 * - `refused`: it has none;
 * - `unknown`: the client cannot tell, and the effect may still come.
 */
export type Outcome = 'done' | 'refused' | 'unknown';

type Creation = Act & { readonly do: 'create' };
type EntryOf<A extends Act['do']> = Entry & { readonly act: Act & { readonly do: A } };

/** Undefined for an answer that the request cannot have. */
export function outcomeOf({ act, status, body }: Entry): Outcome | undefined {
  // The gateway ends what takes longer than a function may, such as a request of a paused server.
  if (status === undefined || status === 503 || status === 504) return 'unknown';
  if (status >= 200 && status < 300) return 'done';
  const problem = String(body.type).split(':').at(-1);
  if (act.do === 'create' && act.via === 'event' && problem === 'event-already-processed') return 'done';
  if (act.do === 'create' && status === 409 && act.fields.slug !== undefined) return 'refused';
  return (act.do === 'change' || act.do === 'delete') && status === 404 ? 'refused' : undefined;
}

/** What is wrong; empty when nothing is. */
export function complaintsOf(history: readonly Entry[], { records, versions, complaints }: Found): string[] {
  const strange = history.filter((entry) => outcomeOf(entry) === undefined);
  return [
    ...strange.map((entry) => `an answer that nothing explains: ${JSON.stringify(entry)}`),
    ...complaints,
    ...KINDS.flatMap((kind) => [
      ...complaintsOfCreations(kind, history, records[kind]),
      ...complaintsOfRecords(kind, history, records[kind], versions),
    ]),
    ...complaintsOfSlugs(history, records.clients),
    ...complaintsOfCounters(records),
    ...history.filter(isOf('list')).flatMap((entry) => complaintsOfList(entry, history)),
  ];
}

const isOf =
  <A extends Act['do']>(what: A, kind?: Kind) =>
  (entry: Entry): entry is EntryOf<A> =>
    entry.act.do === what && (kind === undefined || entry.act.kind === kind);

const isDone = (entry: Entry): boolean => outcomeOf(entry) === 'done';
const isPossible = (entry: Entry): boolean => outcomeOf(entry) !== 'refused';

/** Each mark has one record where its creation was acknowledged, at most one where it may have happened, else none. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one condition for each thing that may be wrong
function complaintsOfCreations(kind: Kind, history: readonly Entry[], records: readonly Fields[]): string[] {
  const complaints: string[] = [];
  const creations = Map.groupBy(history.filter(isOf('create', kind)), ({ act }) => act.mark);
  const found = Map.groupBy(records, (record) => String(record[markOf(kind)]));
  for (const mark of found.keys()) if (!creations.has(mark)) complaints.push(`${kind} ${mark}: nobody created it`);
  for (const [mark, entries] of creations) {
    const shown = found.get(mark) ?? [];
    const ids = new Set(entries.filter(isDone).flatMap(({ body }) => (body.id === undefined ? [] : [String(body.id)])));
    const [id = shown[0]?.id] = ids;
    const deleted = history.filter(isOf('delete', kind)).filter((entry) => entry.act.id === id && isPossible(entry));
    const say = (text: string): void => void complaints.push(`${kind} ${mark}: ${text}`);
    if (ids.size > 1) say(`it was answered under ${ids.size} ids`);
    if (shown.length > 1) say(`there are ${shown.length} records`);
    if (shown.some((record) => record.id !== id)) say('its record has another id than was answered');
    if (shown.length === 0 && entries.some(isDone) && deleted.length === 0) say('it was acknowledged and is lost');
    if (shown.length > 0 && !entries.some(isPossible)) say('it was refused and is there');
    if (shown.length > 0 && deleted.some(isDone)) say('it was deleted and is there');
    if (deleted.filter(isDone).length > 1) say('it was deleted twice');
  }
  return complaints;
}

/** Records have values that somebody gave them last, and a version for each change. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one condition for each thing that may be wrong
function complaintsOfRecords(
  kind: Kind,
  history: readonly Entry[],
  records: readonly Fields[],
  versions: ReadonlyMap<string, number>,
): string[] {
  const complaints: string[] = [];
  const changes = Map.groupBy(history.filter(isOf('change', kind)), ({ act }) => act.id);
  const deletions = history.filter(isOf('delete', kind));
  for (const [id, entries] of changes) {
    const record = records.find((each) => each.id === id);
    const mayBeGone = (by: Entry): boolean =>
      deletions.some((entry) => entry.act.id === id && isPossible(entry) && entry.invoked < by.returned);
    for (const entry of entries)
      if (outcomeOf(entry) === 'refused' && !mayBeGone(entry)) complaints.push(`${kind} ${id}: changed, and not found`);
    if (record === undefined) continue;
    for (const field of new Set(entries.flatMap(({ act }) => Object.keys(act.fields)))) {
      const last = lastOnes(entries.filter(({ act }) => field in act.fields));
      const isInitial = !entries.some((entry) => isDone(entry) && field in entry.act.fields);
      if (!isInitial && !last.some(({ act }) => act.fields[field] === record[field]))
        complaints.push(`${kind} ${id}: ${field} is ${JSON.stringify(record[field])}, which nobody gave it last`);
    }
    const least = 1 + entries.filter(isDone).length;
    const most = least + entries.filter((entry) => outcomeOf(entry) === 'unknown').length;
    const version = versions.get(id) ?? 0;
    // What others have changed in between is changed again by a repeated change (`docs/decisions/0002`).
    if (version < least || (version > most && !doOverlap(entries)))
      complaints.push(`${kind} ${id}: its version is ${version}, of ${least} to ${most}`);
  }
  for (const entry of deletions) {
    const others = deletions.filter((other) => other !== entry && other.act.id === entry.act.id);
    if (outcomeOf(entry) === 'refused' && !others.some((other) => isPossible(other) && other.invoked < entry.returned))
      complaints.push(`${kind} ${entry.act.id}: deleted, and not found`);
  }
  return complaints;
}

/** The changes after which no other was surely made. */
const lastOnes = <E extends Entry>(changes: readonly E[]): E[] =>
  changes.filter(
    (change) => isPossible(change) && !changes.some((later) => isDone(later) && later.invoked > change.returned),
  );

const doOverlap = (entries: readonly Entry[]): boolean =>
  entries.some((one) =>
    entries.some((other) => one !== other && one.invoked < other.invoked && other.invoked < one.returned),
  );

/** A slug has one client, and is refused only where another may have had it. */
function complaintsOfSlugs(history: readonly Entry[], clients: readonly Fields[]): string[] {
  const creations = history.filter(isOf('create', 'clients')).filter(({ act }) => act.fields.slug !== undefined);
  const slugs = new Set(creations.map(({ act }) => act.fields.slug));
  const holders = (slug: unknown): number => clients.filter((client) => client.slug === slug).length;
  const doubled = [...slugs]
    .filter((slug) => holders(slug) > 1)
    .map((slug) => `${holders(slug)} clients have slug ${slug}`);
  const unfounded = creations.filter(
    (entry) =>
      outcomeOf(entry) === 'refused' &&
      !creations.some(
        (other) =>
          other.act.mark !== entry.act.mark &&
          other.act.fields.slug === entry.act.fields.slug &&
          isPossible(other) &&
          other.invoked < entry.returned,
      ),
  );
  return [...doubled, ...unfounded.map(({ act }) => `${act.mark}: refused for a slug that nobody has`)];
}

function complaintsOfCounters({ clients, services, resources }: Found['records']): string[] {
  const count = (records: readonly Fields[], field: string, id: unknown): number =>
    records.filter((record) => record[field] === id).length;
  const wrong = (record: Fields, counter: string, counted: number): string[] =>
    record[counter] === counted ? [] : [`${record.name}: ${counter} is ${record[counter]}, counted are ${counted}`];
  return [
    ...clients.flatMap((client) => [
      ...wrong(client, 'services_count', count(services, 'client_id', client.id)),
      ...wrong(client, 'total_resources', count(resources, 'client_id', client.id)),
    ]),
  ];
}

/** What a page says that was read while others wrote. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one condition for each thing that may be wrong
function complaintsOfList(entry: EntryOf<'list'>, history: readonly Entry[]): string[] {
  if (!isDone(entry)) return [];
  const { act, invoked, returned, body } = entry;
  const data = body.data as readonly Fields[];
  const complaints: string[] = [];
  const say = (text: string): void => void complaints.push(`${JSON.stringify(act)} at ${invoked}: ${text}`);
  const ids = new Set(data.map(({ id }) => String(id)));
  const isWhole = data.length < act.pageSize;
  if (ids.size < data.length) say('a record is there twice');
  if (data.length > act.pageSize) say('the page is too long');
  if (isWhole ? body.total !== data.length : Number(body.total) < data.length)
    say(`its total is ${body.total}, and it shows ${data.length}`);
  for (const [field, value] of Object.entries(act.filter))
    if (data.some((record) => record[field] !== value)) say(`a record does not have ${field}=${value}`);
  if (!isSorted(act, data)) say('its order is another one');

  const deletions = history.filter(isOf('delete', act.kind)).filter(isPossible);
  for (const deletion of deletions.filter(isDone))
    if (deletion.returned < invoked && ids.has(deletion.act.id)) say(`${deletion.act.id} was deleted before`);
  const creations = history.filter(isOf('create', act.kind));
  const marks = new Set(data.map((record) => String(record[markOf(act.kind)])));
  for (const creation of creations)
    if (marks.has(creation.act.mark) && !isCreatedBy(creation.act.mark, creations, returned))
      say(`${creation.act.mark} was not created yet`);
  // Of fields that never change alone is known which records have the value.
  if ('status' in act.filter) return complaints;
  const sure = new Set(
    creations.filter((creation) => isThereFor(creation, entry, deletions)).map((creation) => creation.act.mark),
  );
  if (Number(body.total) < sure.size) say(`its total is ${body.total}, and ${sure.size} were acknowledged before`);
  for (const mark of sure) if (isWhole && !marks.has(mark)) say(`${mark} was acknowledged before and is missing`);
  return complaints;
}

/** Whether records are in the order of the field that is asked for. */
function isSorted({ sort }: EntryOf<'list'>['act'], data: readonly Fields[]): boolean {
  if (sort === undefined) return true;
  const values = data.map((record) => String(record[sort.replace('-', '')])).toSorted();
  if (sort.startsWith('-')) values.reverse();
  return data.every((record, index) => String(record[sort.replace('-', '')]) === values[index]);
}

/** Whether a record was acknowledged before a list was asked for, belongs to it, and cannot have been deleted. */
const isThereFor = (
  creation: EntryOf<'create'>,
  { act, invoked, returned }: EntryOf<'list'>,
  deletions: readonly EntryOf<'delete'>[],
): boolean =>
  isDone(creation) &&
  creation.returned < invoked &&
  Object.entries(act.filter).every(([field, value]) => creation.act.fields[field] === value) &&
  !deletions.some((deletion) => deletion.act.id === creation.body.id && deletion.invoked < returned);

const isCreatedBy = (mark: string, creations: readonly EntryOf<'create'>[], time: number): boolean =>
  creations.some((creation: Entry & { act: Creation }) => creation.act.mark === mark && creation.invoked < time);
