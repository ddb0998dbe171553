import { retry } from '@custodia/counted-lists';
import { RequestSession } from '#table';
import { metered } from '#telemetry';
import { organizations, PLATFORM, tenantOf } from './as-operator.ts';
import type { Verified } from './maintenance/verify/difference.ts';
import type { Kind } from './maintenance/verify/kinds.ts';
import { verify } from './maintenance/verify/verify.ts';
import { RunFile } from './run-file.ts';

/**
 * Verifies the platform and every organization, suspended ones too, several at a time. They are independent: the run
 * reports a tenant that fails at the end, and continues with the others.
 */

/** The file of a run, with a line for each tenant with which nothing is left to do. */
interface VerifyProgress extends RunFile {
  /** The tenants of earlier runs. */
  readonly done: ReadonlySet<string>;
}

/** Properties that a run must share with the run that it continues. */
export interface RunOfVerify {
  readonly table: string;
  readonly repair: boolean;
  /** The lists of the release by entity: its filters and indexes. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** @throws OperatorProblem where the file belongs to another run, is something else, or cannot be opened */
export async function openProgress(path: string, run: RunOfVerify): Promise<VerifyProgress> {
  const done = new Set<string>();
  const onLine = ({ tenant }: { readonly tenant?: unknown }): boolean =>
    typeof tenant === 'string' && done.add(tenant).has(tenant);
  const options = { path, run, what: 'progress of this run', option: '--progress', onLine };
  return Object.assign(await RunFile.open(options), { done });
}

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

export const verifyAll = (kinds: readonly Kind[], options: AllOptions): Promise<VerifiedAll> =>
  metered(async (units) => ({ ...(await verifyEach(kinds, options)), units: Math.ceil(units()) }));

async function verifyEach(kinds: readonly Kind[], options: AllOptions): Promise<Omit<VerifiedAll, 'units'>> {
  const { concurrency, progress, onProgress = () => undefined } = options;
  // An organization that is created later has all its lists from the start.
  const all = [PLATFORM, ...(await idsOfOrganizations())];
  const left = all.filter((id) => progress?.done.has(id) !== true);
  const counts = { tenants: 0, earlier: all.length - left.length, records: 0, tombstones: 0 };
  const differences: (Verified & OfTenant)[] = [];
  const failed: (OfTenant & { readonly error: unknown })[] = [];
  const report = (): void => onProgress(counts.earlier + counts.tenants + failed.length, all.length);
  // One queue for all workers: a worker that has finished a small tenant takes the next.
  const queue = left.values();
  const work = async (): Promise<void> => {
    for (const id of queue) {
      report();
      const org_id = id === PLATFORM ? null : id;
      try {
        const found = await verifyTenant(id, kinds, options);
        differences.push(...found.differences.map((difference) => ({ org_id, ...difference })));
        if (found.differences.every(isRepaired)) {
          await progress?.append({ tenant: id });
          await progress?.sync();
        }
        counts.records += found.records;
        counts.tombstones += found.tombstones;
        counts.tenants += 1;
      } catch (error) {
        failed.push({ org_id, error });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  report();
  if (failed.length === 0 && differences.every(isRepaired)) await progress?.remove();
  return { ...counts, differences, failed };
}

const isRepaired = ({ repaired }: Verified): boolean => repaired;

const idsOfOrganizations = async (): Promise<string[]> =>
  (await Array.fromAsync(organizations(RequestSession.ofEnvironment(TIMEOUT_MS)))).map(({ id }) => id);

async function verifyTenant(
  id: string,
  kinds: readonly Kind[],
  { repair, onDifference }: AllOptions,
): ReturnType<typeof verify> {
  const tenant = tenantOf(id, TIMEOUT_MS);
  // It may have been erased since the list was read.
  if (!(await retry(() => tenant.exists(), tenant.session))) return { records: 0, differences: [], tombstones: 0 };
  return verify(tenant, kinds, { repair, report: (difference) => onDifference?.(tenant.orgId, difference) });
}
