import { setTimeout as sleep } from 'node:timers/promises';
import { type Item, schema } from '@custodia/counted-lists';
import { auditEventEntity, type Entity, JournalReader, journalEntity } from '#table';
import { readSuspension, type Suspension, stageSuspension } from '#tenancy';
import { identityEntity } from '../functions/access/store.ts';
import { endpointEntity } from '../functions/events/store.ts';
import { identityProviderEntity } from '../functions/identity-providers/store.ts';
import { integrationEntity } from '../functions/integrations/store.ts';
import { unlink } from '../functions/users/identities.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { asOperator, tenantOf, UNDER_WAY_MS } from './as-operator.ts';
import { declaredOf, exportedKinds } from './export.ts';
import { kinds } from './kinds.ts';
import { forgetAlerts } from './maintenance/restore/alerts.ts';
import { TableCopy } from './maintenance/restore/copy.ts';
import type { Change } from './maintenance/restore/differences.ts';
import type { Verified } from './maintenance/verify/difference.ts';
import type { Kind } from './maintenance/verify/kinds.ts';
import { verify } from './maintenance/verify/verify.ts';
import { OperatorProblem } from './problem.ts';
import { suspendOrganization } from './suspending.ts';
import { openTenant } from './tenant-option.ts';

/**
 * Restores one organization's data from a restored copy of the table (`docs/decisions/0112-restoring.md`):
 *
 *     suspended ─── its keys are refused
 *     restoring ─── it cannot be resumed
 *       │  write what differs; once more after all requests that were under way have ended, until nothing differs
 *       │  verify and repair; cursors of the journal end, because records have changed without events
 *     suspended ─── for the operator to look, and to resume
 *
 * A run that was interrupted anywhere continues when the command is run again.
 */

/** Maximal number of passes. If one more were needed, somebody else writes too. */
const MOST_PASSES = 5;

/**
 * These stay as they are: integrations, because they are keys, and webhook endpoints, which have their permissions;
 * identity providers, which decide who signs in, and identities; audit events, and the journal, whose events were
 * delivered.
 */
const STAYING: readonly string[] = [
  integrationEntity.name,
  endpointEntity.name,
  identityProviderEntity.name,
  identityEntity.name,
  auditEventEntity.name,
  journalEntity.name,
];
export const RESTORABLE = {
  kinds: kinds.filter(({ entity }) => !STAYING.includes(entity.name)),
  integrations: kinds.find(({ entity }) => entity.name === integrationEntity.name) as Kind,
};

export interface RestoreOptions {
  readonly onProgress?: (step: string, written: number) => void;
  readonly clock?: Clock;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

export interface RestoreComparison extends RestoreChanges {
  /** App codes of integrations that could log in then and cannot now. They stay inactive. */
  readonly stay_inactive: readonly string[];
}

export interface Restored extends RestoreComparison {
  readonly verified: { readonly records: number; readonly differences: readonly Verified[] };
}

/**
 * Counts what a restoration would write. Changes nothing.
 * @throws OperatorProblem when there is no such organization, in the stage or in the copy
 */
export async function compareTenant(id: string, from: string, clock: Clock = systemClock): Promise<RestoreComparison> {
  const copy = await open(id, from);
  const counts = new RestoreCounts();
  await pass(id, { from, clock, version: 0, writes: false, found: new Set(), counts });
  await identitiesSince(copy, clock, counts);
  return { ...counts.changes, stay_inactive: await stayInactive(copy, clock) };
}

/** @throws OperatorProblem as {@link compareTenant}, or when somebody writes to the organization meanwhile */
export async function restoreTenant(id: string, from: string, options: RestoreOptions = {}): Promise<Restored> {
  const { clock = systemClock, pause = sleep, onProgress = () => undefined } = options;
  const copy = await open(id, from);
  const counts = new RestoreCounts((written) => onProgress('restoring', written));
  onProgress('suspending', 0);
  await suspendOrganization(id);
  const { restoring } = await changeState(id, () => ({ from, version: Math.floor(clock() / 1000) }));
  const over = clock() + UNDER_WAY_MS;
  const found = new Set<string>();
  for (let passes = 1; ; passes++) {
    const start = clock();
    const written = await pass(id, { from, clock, version: restoring?.version ?? 0, writes: true, found, counts });
    if (start >= over && written === 0) break;
    if (passes === MOST_PASSES) throw new OperatorProblem(SOMEBODY_WRITES);
    onProgress('waiting for requests that are under way', counts.items);
    await pause(Math.max(0, over - clock()));
  }
  for (const identity of await identitiesSince(copy, clock, counts))
    await asOperator('restoreOrganization', id, (tenant) => unlink(tenant, identity));
  await forgetAlerts(await openTenant(id));
  onProgress('verifying', counts.items);
  const { records, differences } = await verify(await openTenant(id), kinds, { repair: true });
  const stay_inactive = await stayInactive(copy, clock);
  await new JournalReader(await openTenant(id)).raiseGeneration();
  await changeState(id, () => undefined);
  return { ...counts.changes, stay_inactive, verified: { records, differences } };
}

const SOMEBODY_WRITES =
  'Not done: somebody goes on writing to the organization. Keys of the platform still can; run it again when none ' +
  'does.';

/** @throws OperatorProblem */
async function open(id: string, from: string): Promise<TableCopy> {
  const copy = new TableCopy(await openTenant(id), from);
  const found = await copy.look();
  if (found !== 'copy') throw new OperatorProblem(REFUSALS[found](from));
  return copy;
}

const REFUSALS = {
  itself: () => '--from-table must be a copy of the table, and not the table.',
  missing: (name: string) => `There is no table ${name}, or not yet.`,
  other: (name: string) => `${name} does not have the organization: it is no copy of its table, or of a time before.`,
};

/** Begins or ends the restoration of an organization that is suspended. */
const changeState = (id: string, next: () => Suspension['restoring']): Promise<Suspension> =>
  asOperator('restoreOrganization', id, async (tenant) => {
    const suspension = await readSuspension(tenant, true);
    if (suspension?.state !== 'suspended')
      throw new OperatorProblem(`${id} was resumed or erased meanwhile: run it again.`);
    const restoring = next();
    const { state, since } = suspension;
    const changed: Suspension = { state, since, ...(restoring === undefined ? {} : { restoring }) };
    await stageSuspension(tenant, suspension, changed);
    return changed;
  });

interface Pass {
  readonly from: string;
  readonly clock: Clock;
  readonly version: number;
  readonly writes: boolean;
  readonly found: Set<string>;
  readonly counts: RestoreCounts;
}

/** Runs with a new request session: the deadline of the previous one may have passed. */
const pass = (id: string, { from, counts, ...options }: Pass): Promise<number> =>
  new TableCopy(tenantOf(id, undefined, options.clock), from).restore({
    ...RESTORABLE,
    ...options,
    onChange: counts.add,
  });

async function stayInactive(copy: TableCopy, clock: Clock): Promise<readonly string[]> {
  const both = copy.recordsOf(RESTORABLE.integrations.entity, clock);
  const [then, now] = await Promise.all(both.map(activeAmong));
  return [...(then ?? [])].filter((code) => !now?.has(code));
}

/**
 * The ids of identities that were linked since: who did that may have less than the user has again. One that was
 * unlinked since stays so.
 */
async function identitiesSince(copy: TableCopy, clock: Clock, counts: RestoreCounts): Promise<readonly string[]> {
  const both = copy.recordsOf(identityEntity as unknown as Entity, clock);
  const [then = [], now = []] = await Promise.all(both.map((items) => Array.fromAsync(items)));
  const known = new Set(then.map(({ id }) => id));
  const since = now.filter((item) => isNamed(item) && !known.has(item.id));
  for (const before of since) counts.add(String(before.PK), { kind: 'delete', before });
  return since.map(({ id }) => String(id));
}

async function activeAmong(integrations: AsyncIterable<Item>): Promise<Set<string>> {
  const codes = new Set<string>();
  for await (const { app_code, status } of integrations) if (status === 'active') codes.add(String(app_code));
  return codes;
}

/** Counts of what a restoration writes or would write. */
export interface RestoreChanges {
  /** By type of record, as in an export. */
  readonly records: Readonly<Record<string, Counts>>;
  /** Items that are no records: sets of lists, claims of unique values, ids of requests and events. */
  readonly other_items: number;
  /** Write units of DynamoDB, without those of the verification. */
  readonly write_units: number;
}

interface Counts {
  /** Records that exist only in the copy. */
  readonly brought_back: number;
  readonly changed_back: number;
  /** Records that were created after the copy. */
  readonly removed: number;
}

const NONE: Counts = { brought_back: 0, changed_back: 0, removed: 0 };

/** Names of records in the OpenAPI document, by the entity's name. */
const TYPES = new Map(
  exportedKinds
    .flatMap(({ entity, below }) => [entity, ...below])
    .map((entity) => [entity.name, declaredOf(entity).name]),
);

export class RestoreCounts {
  readonly #records = new Map<string, Counts>();
  readonly #onChange: (items: number) => void;
  #others = 0;
  #units = 0;
  items = 0;

  constructor(onChange: (items: number) => void = () => undefined) {
    this.#onChange = onChange;
  }

  readonly add = (partition: string, change: Change): void => {
    this.items += 1;
    this.#units += unitsOf(change);
    const what = whatHappens(change);
    const type = what && TYPES.get(entityOf(partition));
    if (type === undefined || what === undefined) this.#others += 1;
    else {
      const counts = this.#records.get(type) ?? NONE;
      this.#records.set(type, { ...counts, [what]: counts[what] + 1 });
    }
    this.#onChange(this.items);
  };

  get changes(): RestoreChanges {
    const records = Object.fromEntries([...this.#records].toSorted(([one], [other]) => one.localeCompare(other)));
    return { records, other_items: this.#others, write_units: this.#units };
  }
}

/** The kind of change of a record. Undefined where no record changes; a tombstone may. */
function whatHappens(change: Change): keyof Counts | undefined {
  const [was, is] = [isNamed(change.before), change.kind === 'put' && isNamed(change.item)];
  if (is) return was ? 'changed_back' : 'brought_back';
  return was ? 'removed' : undefined;
}

const isNamed = (item: Item | undefined): boolean => schema.isRecord(item) && 'id' in item;

/**
 * The entity of a partition: `ORG#<tenant>#TICKET`, or with a parent record `ORG#<tenant>#TICKET#<id>#MESSAGE`. Other
 * partitions name no entity.
 */
function entityOf(partition: string): string {
  const [, , entity = '', id, below, ...rest] = partition.split('#');
  if (id === undefined) return entity;
  return rest.length === 0 ? (below ?? '') : '';
}

/**
 * A write unit is 1 KB of the larger one of both items:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 */
const unitsOf = (change: Change): number =>
  Math.max(
    ...[change.before, change.kind === 'put' ? change.item : undefined].map((item) =>
      item === undefined ? 0 : Math.ceil(sizeOf(item) / 1024),
    ),
  );

/** The approximate size of an item: names and values as text. */
const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + textSize(value), 0);

const textSize = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).reduce((sum, [name, each]) => sum + Buffer.byteLength(name) + textSize(each), 3)
    : Buffer.byteLength(String(value));
