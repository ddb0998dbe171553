import { setTimeout as sleep } from 'node:timers/promises';
import type { Entity, Tenant } from '#table';
import { organizationEntity, type Suspension } from '#tenancy';
import { integrationEntity } from '../functions/integrations/store.ts';
import { UPLOAD } from '../functions/tickets/attachments/limits.ts';
import { knownBucket } from '../functions/tickets/attachments/objects.ts';
import { lastUpload } from '../functions/tickets/attachments/state/uploads.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { asOperator, tenantOf, UNDER_WAY_MS } from './as-operator.ts';
import { recordsOf } from './export.ts';
import { kinds } from './kinds.ts';
import { Eraser } from './maintenance/erase/eraser.ts';
import { type Erasure, readErasure, stageErasure, stageProgress } from './maintenance/erase/erasure.ts';
import { someVersions } from './maintenance/erase/objects.ts';
import { OperatorProblem } from './problem.ts';
import { suspendOrganization } from './suspending.ts';

/**
 * Erases an organization (`docs/decisions/0096-suspending-exporting-erasing.md`):
 *
 *     suspended ── its keys are refused
 *       │  count its records
 *     erasing ──── it exists no more for the platform, either, and is in no list
 *       │  delete its credentials; delete what is found by its records, then the records;
 *       │  once more after all requests that were under way have ended; delete the objects of attachments, after
 *       │  the last URL by which one may be uploaded has ended; look through the table
 *     erased ───── the receipt stays
 *
 * Interrupted anywhere, it goes on where it was when it is run again.
 */

export interface EraseOptions {
  /** Whether to scan the whole table at the end. The credentials must allow it. */
  readonly sweeps: boolean;
  /** Is called with the current step and the number of deleted items. */
  readonly onProgress?: (step: string, deleted: number) => void;
  readonly clock?: Clock;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** The receipt of an erasure, for the person who requested it. */
export interface Receipt extends Pick<Erasure, 'records'> {
  readonly org_id: string;
  readonly began_at: string;
  readonly erased_at: string;
  /** False: the table was not scanned, so empty sets of words that no item notes may remain. */
  readonly swept: boolean;
  /** False: it was not known where the objects of attachments are, so they may remain. */
  readonly objects: boolean;
}

/** @throws OperatorProblem when there is no such organization */
export async function eraseOrganization(id: string, options: EraseOptions): Promise<Receipt> {
  const run = new Run(id, options);
  let erasure = await begun(run);
  if (erasure.state === 'erasing') erasure = await emptied(run, erasure);
  // A refused create leaves the number that it allocated, and the gateway accepts a token for a while after it has
  // ended.
  else {
    await run.deleteRecords(true);
    await run.deleteObjects();
  }
  if (erasure.state === 'erased' && (erasure.swept === true || !options.sweeps)) return receiptOf(id, erasure);
  if (options.sweeps) {
    run.to('looking through the table');
    await run.eraser.sweep(run.tenant());
  }
  const { erased_at = run.timestamp() } = erasure;
  return receiptOf(id, await run.progress(erasure, { state: 'erased', erased_at, swept: options.sweeps }));
}

/** One run of the command. */
class Run {
  readonly id: string;
  readonly clock: Clock;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly #onProgress: NonNullable<EraseOptions['onProgress']>;
  #step = '';
  #deleted = 0;

  constructor(id: string, { onProgress = () => undefined, clock = systemClock, pause = sleep }: EraseOptions) {
    this.id = id;
    this.clock = clock;
    this.pause = pause;
    this.#onProgress = onProgress;
  }

  /** A tenant handle with a request session of its own. */
  tenant(): Tenant {
    return tenantOf(this.id, undefined, this.clock);
  }

  timestamp(): string {
    return new Date(this.clock()).toISOString();
  }

  /** Reports the step that begins now. */
  to(step: string): void {
    this.#step = step;
    this.#onProgress(step, this.#deleted);
  }

  readonly eraser = new Eraser({
    kinds,
    integrations: integrationEntity as unknown as Entity,
    onDelete: (items) => this.#count(items),
  });

  #count(items: number): void {
    this.#deleted += items;
    this.#onProgress(this.#step, this.#deleted);
  }

  /** @param isLast as {@link Eraser.deleteRecords} */
  async deleteRecords(isLast: boolean): Promise<void> {
    this.to('deleting records');
    await this.eraser.deleteRecords(this.tenant(), isLast);
  }

  /** Deletes the objects of attachments, when none can be uploaded any more, where it is known where they are. */
  async deleteObjects(): Promise<void> {
    if (knownBucket() === undefined) return;
    await this.#untilUrlEnds(await lastUpload(this.tenant()));
    for (;;) {
      this.to('deleting attachments');
      const { announced, deleteAll } = await someVersions(tenantOf(this.id));
      if (announced === undefined) break;
      await this.#untilUrlEnds(announced);
      this.#count(await deleteAll(tenantOf(this.id)));
    }
    await this.eraser.deleteUploads(this.tenant());
  }

  /** @param announced when the attachment of a URL was, in epoch milliseconds */
  async #untilUrlEnds(announced = 0): Promise<void> {
    const left = announced + UPLOAD.milliseconds - this.clock();
    if (left <= 0) return;
    this.to('waiting for the end of URLs of uploads');
    await this.pause(left);
  }

  change<T>(change: (tenant: Tenant) => Promise<T>): Promise<T> {
    return asOperator('eraseOrganization', this.id, change);
  }

  /** Stores the next state of the erasure. */
  progress(erasure: Erasure, next: Partial<Erasure>): Promise<Erasure> {
    return this.change(async (tenant) => stageProgress(tenant, erasure, next));
  }
}

const receiptOf = (id: string, { since, erased_at = '', records, swept = false }: Erasure): Receipt => ({
  org_id: id,
  began_at: since,
  erased_at,
  records,
  swept,
  objects: knownBucket() !== undefined,
});

/** The numbers of records by type, as in an export. */
export async function countRecords(tenant: Tenant): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for await (const { type } of recordsOf(tenant)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** Returns the erasure under way. Else suspends the organization and begins a new one. */
async function begun(run: Run): Promise<Erasure> {
  const before = await readErasure(run.tenant());
  if (isErasure(before)) return before;
  run.to('suspending');
  await suspendOrganization(run.id);
  run.to('counting');
  const records = await countRecords(run.tenant());
  run.to('taking it off the list of organizations');
  return run.change(async (tenant) => {
    const suspension = await readErasure(tenant);
    // Another run of this command was faster.
    if (isErasure(suspension)) return suspension;
    const organization = await tenant.records(organizationEntity).get(run.id);
    if (suspension === undefined || organization === undefined) {
      throw new OperatorProblem(`${run.id} was resumed meanwhile: nothing was erased.`);
    }
    return stageErasure(tenant, organization, suspension, records);
  });
}

export const isErasure = (state: Suspension | Erasure | undefined): state is Erasure =>
  state !== undefined && state.state !== 'suspended';

/** Deletes everything, and later deletes what requests under way have written meanwhile. */
async function emptied(run: Run, begun: Erasure): Promise<Erasure> {
  let erasure = begun;
  for (;;) {
    const start = run.clock();
    run.to('deleting keys');
    const keys = await run.eraser.deleteKeys(run.tenant());
    if (keys > 0 || erasure.closed_at === undefined) {
      erasure = await run.progress(erasure, { closed_at: run.timestamp() });
    }
    const over = Date.parse(erasure.closed_at ?? '') + UNDER_WAY_MS;
    await run.deleteRecords(start >= over);
    if (start >= over) {
      await run.deleteObjects();
      return erasure;
    }
    run.to('waiting for requests that are under way');
    await run.pause(Math.max(0, over - run.clock()));
  }
}
