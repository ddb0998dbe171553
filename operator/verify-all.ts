import { retry } from '@custodia/counted-lists';
import { RequestSession, Tenant } from '#table';
import { Invocation, within } from '#telemetry';
import { organizationList } from '#tenancy';
import { type Kind, type Verified, verify } from '#verify';
import type { VerifyProgress } from './verify-progress.ts';

/**
 * Verifies the platform and every organization, suspended ones too, several at a time. They are independent: the run
 * reports a tenant that fails at the end, and continues with the others.
 */

/** The tenant of a difference: an organization's id, null for the platform. */
interface OfTenant {
  readonly org_id: string | null;
}

export interface VerifiedAll {
  /** Tenants that were verified in this run. */
  readonly tenants: number;
  /** Tenants that an earlier run with the same progress file has verified. */
  readonly earlier: number;
  readonly records: number;
  readonly differences: readonly (Verified & OfTenant)[];
  readonly tombstones: number;
  /** Read and write units, as DynamoDB reports them. */
  readonly units: number;
  /** Tenants that could not be verified, and why. */
  readonly failed: readonly (OfTenant & { readonly error: unknown })[];
}

export interface AllOptions {
  readonly repair: boolean;
  /** Tenants at the same time. */
  readonly concurrency: number;
  readonly progress?: VerifyProgress | undefined;
  /** Called for each difference when it is found. */
  readonly onDifference?: (orgId: string | null, difference: Verified) => void;
  /** Called before each tenant and after the last one. */
  readonly onProgress?: (finished: number, all: number) => void;
}

/** Deadline of the first reads. */
const TIMEOUT_MS = 60_000;

export async function verifyAll(kinds: readonly Kind[], options: AllOptions): Promise<VerifiedAll> {
  const { concurrency, progress, onProgress = () => undefined } = options;
  const all = await allTenants();
  const left = all.filter((id) => progress?.isDone(id) !== true);
  const run = new Run(kinds, options);
  // One queue for all workers: a worker that has finished a small tenant takes the next.
  const queue = left.values();
  const work = async (): Promise<void> => {
    for (const id of queue) {
      onProgress(all.length - left.length + run.finished, all.length);
      await run.verify(id);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  onProgress(all.length - left.length + run.finished, all.length);
  if (run.isSettled) await progress?.finish();
  return run.result(all.length - left.length);
}

/**
 * The platform, then the organizations, the oldest first. An organization that is created later has all its lists from
 * the start.
 */
async function allTenants(): Promise<string[]> {
  const platform = Tenant.ofPlatform(RequestSession.ofEnvironment(TIMEOUT_MS));
  const ids: string[] = [platform.id];
  for await (const { record } of organizationList(platform).all()) ids.push(record.id);
  return ids;
}

/** The results so far. */
class Run {
  readonly #kinds: readonly Kind[];
  readonly #options: AllOptions;
  readonly #invocation = new Invocation({});
  readonly #differences: (Verified & OfTenant)[] = [];
  readonly #failed: (OfTenant & { readonly error: unknown })[] = [];
  #tenants = 0;
  #records = 0;
  #tombstones = 0;

  constructor(kinds: readonly Kind[], options: AllOptions) {
    this.#kinds = kinds;
    this.#options = options;
  }

  get finished(): number {
    return this.#tenants + this.#failed.length;
  }

  /** Whether nothing is left to do. */
  get isSettled(): boolean {
    return this.#failed.length === 0 && this.#differences.every(({ repaired }) => repaired);
  }

  async verify(id: string): Promise<void> {
    const tenant = Tenant.ofOperator(id, RequestSession.ofEnvironment(TIMEOUT_MS));
    const org_id = tenant.orgId;
    try {
      const { records, differences, tombstones } = await within(this.#invocation, () => this.#verify(tenant));
      this.#records += records;
      this.#tombstones += tombstones;
      for (const difference of differences) this.#differences.push({ org_id, ...difference });
      if (differences.every(({ repaired }) => repaired)) await this.#options.progress?.note(id);
      this.#tenants += 1;
    } catch (error) {
      this.#failed.push({ org_id, error });
    }
  }

  async #verify(tenant: Tenant): ReturnType<typeof verify> {
    // It may have been erased since the list was read.
    if (!(await retry(() => tenant.exists(), tenant.session))) return NOTHING;
    const { repair, onDifference } = this.#options;
    return verify(tenant, this.#kinds, { repair, report: (difference) => onDifference?.(tenant.orgId, difference) });
  }

  result(earlier: number): VerifiedAll {
    return {
      tenants: this.#tenants,
      earlier,
      records: this.#records,
      differences: this.#differences,
      tombstones: this.#tombstones,
      units: Math.ceil(this.#invocation.units),
      failed: this.#failed,
    };
  }
}

const NOTHING = { records: 0, differences: [], tombstones: 0 };
